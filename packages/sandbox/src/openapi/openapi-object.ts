/** A JSON object of an OpenAPI document. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** Refers to a shape of the document by its name. */
export function refTo(name: string): OpenApiObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes a body that must be JSON of one shape. */
export function jsonBody(name: string): OpenApiObject {
  return { required: true, content: { "application/json": { schema: refTo(name) } } };
}
