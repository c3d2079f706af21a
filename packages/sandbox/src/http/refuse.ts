import type { Context } from "hono";
import { Refusal, SandboxError, UsageError } from "../primitives/errors.ts";
import { refusalRecord } from "../wire/answers.ts";

/** Answers an error as JSON. An unexpected error is answered as `internal`; its details go to stderr only. */
export function refuse(error: unknown, c: Context): Response {
  if (error instanceof ConnectionCut) throw error;
  const refusal = refusalOf(error);
  // For the record of a request to the API.
  c.set("cause", refusalText(refusal));
  return c.json(refusalRecord(refusal), refusal.status);
}

/** Returns the reason of a refusal in words, after the field that it is about. */
export function refusalText({ field, message }: Refusal): string {
  return field ? `${field}: ${message}` : message;
}

/** Returns the refusal that an error is answered with. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof UsageError) return new Refusal("request.invalid", error.expected, error.field);
  if (error instanceof SandboxError) return new Refusal(`sandbox.${error.code}`, error.message, error.field);
  process.stderr.write(`doorcode-sandbox: ${error instanceof Error ? error.stack : error}\n`);
  return new Refusal("internal", "The sandbox failed. Its stderr has the details.");
}

/** Returns the answer to a request that no route has seen. */
export function refusalResponse(refusal: Refusal): Response {
  return Response.json(refusalRecord(refusal), { status: refusal.status });
}

/**
 * The error with which `fetch` of a sandbox rejects when a fault cuts the connection instead of answering.
 *
 * Over a port the connection is really cut. Without a port this error takes its place.
 */
export class ConnectionCut extends Error {
  override readonly name = "ConnectionCut";

  constructor() {
    super("A fault of the sandbox cut the connection.");
  }
}
