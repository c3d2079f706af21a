import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { createLoginDocument, type OpenApiObject } from "../../packages/core/src/openapi/login-document.ts";

/** An answer that a description may tell about. */
export interface DescribedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly json: unknown;
}

const mounts = /^\/(?:login|link|step-up)(\/[a-z]+)(?:\?.*)?$/;

/** Throws if an answer of a login is not as its OpenAPI document says. Answers of the app itself are none of its concern. */
export function assertDescribed({ method, path, status, contentType, json }: DescribedAnswer): void {
  const endpoint = mounts.exec(path)?.[1];
  const isOfKit = /^application\/(?:problem\+)?json$/.test(contentType ?? "");
  // Another method is not part of a document, and is 405.
  const operation = member(paths, endpoint ?? "", method.toLowerCase());
  if (endpoint === undefined || !isOfKit || operation === undefined) return;
  const schema = member(operation, "responses", String(status), "content", contentType ?? "", "schema");
  if (schema === undefined) throw new Error(`${method} ${path} answers ${status}, which its document does not have.`);
  const validate = validatorOf(`${method} ${endpoint} ${status}`, schema as OpenApiObject);
  if (!validate(json)) {
    throw new Error(`${method} ${path} answers ${status} ${JSON.stringify(json)}: ${ajv.errorsText(validate.errors)}.`);
  }
}

function member(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], from);
}

const document = structuredClone(createLoginDocument());
const { paths } = document;
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
ajv.addVocabulary(["components"]);
const validators = new Map<string, ValidateFunction>();

/** An answer must have no member that the document does not know, although a document lets later versions add some. */
for (const schema of Object.values(member(document, "components", "schemas") as Record<string, OpenApiObject>)) {
  closeObjects(schema);
}

function closeObjects(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema) Object.assign(schema, { additionalProperties: false });
  for (const inner of Object.values(schema)) closeObjects(inner);
}

function validatorOf(name: string, schema: OpenApiObject): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  const created = ajv.compile({ ...schema, components: document.components } as never);
  validators.set(name, created);
  return created;
}
