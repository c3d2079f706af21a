import { expect } from "vitest";
import { type Description, type JsonObject, readDescription } from "./description.ts";

/** A request to the API of a sandbox, and its answer. */
export interface ServiceExchange {
  readonly method: string;
  /** The path below `/v1`. */
  readonly path: string;
  /** The body of the request, if it was JSON. */
  readonly sent?: unknown;
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** The parts of an application that its description needs. */
interface DescribedApplication {
  readonly id: string;
  readonly env: { readonly SERVICE_URL: string };
}

const requests = ["MessageRequest", "VerificationRequest", "ConfirmationRequest"];
const known = new Map<string, Description>();

/**
 * Reads the document that a sandbox serves about one application, in its dialect. Without its token it serves the API alone: then it is
 * `undefined`.
 */
export async function describedService({ id, env }: DescribedApplication): Promise<Description | undefined> {
  const response = await fetch(new URL(`/_sandbox/applications/${id}/openapi.json`, env.SERVICE_URL));
  const text = await response.text();
  if (response.status === 401) return undefined;
  expect(response.status).toBe(200);
  const description = known.get(text) ?? readDescription(JSON.parse(text), requests);
  known.set(text, description);
  return description;
}

/**
 * Throws if an answer of the API is not as the document of the application says, or if the API accepts a request that the document does
 * not have.
 */
export async function assertServiceDescribed(application: DescribedApplication, exchange: ServiceExchange) {
  const { method, path, sent, status, contentType, text } = exchange;
  const description = await describedService(application);
  // A text is the answer of a fault, which may be anything.
  if (description === undefined || contentType?.startsWith("text/plain")) return;
  const template = path
    .replace(/\?.*$/, "")
    .replace(/(?<=^\/verifications\/confirmation\/)[^/]+$/, "{verification_id}");
  const operation = ["paths", template, method.toLowerCase()];
  // Another path or method is not part of a document, and is 404 or 405.
  if (description.find(...operation) === undefined) return;
  const response = description.find(...operation, "responses", String(status)) as JsonObject | undefined;
  expect(response, `${method} ${path} answers ${status}, which its document does not have`).toBeDefined();
  expect(complaintAbout(description, response, contentType, text), `${method} ${path}: ${status} ${text}`).toBe(
    undefined,
  );

  const body = description.find(...operation, "requestBody", "content", "application/json", "schema");
  if (status >= 300 || body === undefined) return;
  expect(description.complaint(body as JsonObject, sent), JSON.stringify(sent)).toBe(undefined);
}

function complaintAbout(description: Description, response: unknown, contentType: string | null, text: string) {
  const { description: words, content = {} } = response as {
    description: string;
    content?: Record<string, JsonObject>;
  };
  if (text === "") {
    const mayBeEmpty = words.endsWith("Without a body.") && contentType === null;
    return mayBeEmpty ? undefined : "an empty body";
  }
  const type = contentType?.replace(/;.*/, "") ?? "none";
  const schema = content[type]?.schema;
  if (schema === undefined) return `the type ${type}`;
  return description.complaint(schema as JsonObject, type === "application/json" ? JSON.parse(text) : text);
}

/** Throws if an event is not as the document says. */
export function assertEventDescribed(description: Description | undefined, payload: { readonly data: object }): void {
  const name = "message_id" in payload.data ? "message.status.update" : "verification.update";
  const schema = description?.find("webhooks", name, "post", "requestBody", "content", "application/json", "schema");
  expect(description?.complaint(schema as JsonObject, payload), JSON.stringify(payload)).toBe(undefined);
}
