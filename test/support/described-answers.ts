import { type JsonObject, readDescription } from "./description.ts";
import { loginDocument } from "./login-document.ts";

/** An answer that a description may tell about. */
export interface DescribedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly json: unknown;
}

/** An endpoint below a mount, whatever its path and purpose. */
const mounts = /^(?:\/[\w-]+)+?(\/[a-z]+)(?:\?.*)?$/;
const description = readDescription(loginDocument);

/** Throws if an answer of a login is not as its OpenAPI document says. Answers of the app itself are none of its concern. */
export function assertDescribed({ method, path, status, contentType, json }: DescribedAnswer): void {
  const endpoint = mounts.exec(path)?.[1];
  const isOfKit = /^application\/(?:problem\+)?json$/.test(contentType ?? "");
  if (endpoint === undefined || !isOfKit) return;
  const operation = ["paths", endpoint, method.toLowerCase()];
  // Another method is not part of a document, and is 405.
  if (description.find(...operation) === undefined) return;
  const schema = description.find(...operation, "responses", String(status), "content", contentType ?? "", "schema");
  if (schema === undefined) throw new Error(`${method} ${path} answers ${status}, which its document does not have.`);
  const complaint = description.complaint(schema as JsonObject, json);
  if (complaint) throw new Error(`${method} ${path} answers ${status} ${JSON.stringify(json)}: ${complaint}.`);
}
