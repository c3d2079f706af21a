import type { FastifySchema } from "fastify";

/** A value of JSON. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** An operation of the document of core, as far as it is read here. */
interface Operation {
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: "header" | "query"; readonly schema: Json }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Json }>>;
}

/** The document of the endpoints that core has. */
interface LoginDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/**
 * Describes the endpoints of a login for an app with `@fastify/swagger`: the schema of each method, by path. The schemas are for readers
 * only, because core checks every request by itself: the routes need a validator that accepts all.
 */
export async function describeRoutes(): Promise<ReadonlyMap<string, Readonly<Record<string, FastifySchema>>>> {
  const { default: document } = await import("@doorcode/core/openapi.json", { with: { type: "json" } });
  const { paths, components } = document as unknown as LoginDocument;
  const described = Object.entries(paths).map(([path, operations]) => {
    const schemas = Object.entries(operations).map(([method, operation]) => [
      method.toUpperCase(),
      schemaOf(operation, components.schemas),
    ]);
    return [path, Object.fromEntries(schemas)] as const;
  });
  return new Map(described);
}

function schemaOf(
  { summary, parameters = [], requestBody, responses }: Operation,
  named: LoginDocument["components"]["schemas"],
) {
  const content = Object.entries(requestBody?.content ?? {});
  const [, body] = content[0] ?? [];
  const inside = (place: "header" | "query") => parameters.filter((parameter) => parameter.in === place);
  return {
    summary,
    tags: ["login"],
    headers: objectOf(inside("header")),
    querystring: objectOf(inside("query")),
    ...(body && { body: resolve(body.schema, named), consumes: content.map(([type]) => type) }),
    response: Object.fromEntries(
      Object.entries(responses).map(([status, { description, content: answer }]) => [
        status,
        { description, ...(answer ? { content: resolve(answer, named) } : { type: "null" }) },
      ]),
    ),
  };
}

function objectOf(parameters: NonNullable<Operation["parameters"]>): Json {
  const properties = parameters.map(({ name, schema }) => [name, schema] as const);
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Puts schemas in the place of references to them: the document of the app has no such names. */
function resolve(value: Json, named: LoginDocument["components"]["schemas"]): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, named));
  const { $ref } = value as { readonly $ref?: string };
  if ($ref !== undefined) return resolve(named[$ref.replace("#/components/schemas/", "")] ?? {}, named);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolve(entry, named)]));
}
