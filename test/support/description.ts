import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An OpenAPI document that answers can be compared with. */
export interface Description {
  /** Returns a part of the document; `undefined` if it has none. */
  find(...path: readonly string[]): unknown;
  /** Returns what is wrong with a value by a schema of the document; `undefined` if nothing is. */
  complaint(schema: JsonObject, value: unknown): string | undefined;
}

/** Formats that are compared, because no other check does. */
const formats = { "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/, uri: /^https?:\/\// };

/**
 * Reads an OpenAPI document. What is sent must have no member that the document does not know, although a document lets later versions
 * add some.
 *
 * @param received - the names of the shapes of requests, which may have further members.
 */
export function readDescription(original: JsonObject, received: readonly string[] = []): Description {
  const document: JsonObject = structuredClone(original);
  const schemas = member(document, "components", "schemas") as Record<string, JsonObject>;
  for (const [name, schema] of Object.entries(schemas)) if (!received.includes(name)) closeObjects(schema);

  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, formats });
  ajv.addVocabulary(["components"]);
  const validators = new Map<JsonObject, ValidateFunction>();

  function validatorOf(schema: JsonObject): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    const created = ajv.compile({ ...schema, components: document.components } as never);
    validators.set(schema, created);
    return created;
  }

  return {
    find: (...path) => member(document, ...path),
    complaint(schema, value) {
      const validate = validatorOf(schema);
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}

function member(from: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], from);
}

function closeObjects(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema && !("additionalProperties" in schema)) {
    Object.assign(schema, { additionalProperties: false });
  }
  for (const inner of Object.values(schema)) closeObjects(inner);
}
