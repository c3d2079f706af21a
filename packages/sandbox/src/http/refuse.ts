import type { Context } from "hono";
import { Misuse } from "../misuse.ts";
import { Refusal } from "../refusal.ts";
import { SandboxError } from "../sandbox-error.ts";
import { refusalRecord } from "../wire/refusals.ts";
import { ConnectionCut } from "./connection-cut.ts";

/** Answers a refusal as JSON; anything else that was thrown is ours, and what it says goes to stderr only. */
export function refuse(error: unknown, c: Context): Response {
  if (error instanceof ConnectionCut) throw error;
  const refusal = refusalOf(error);
  return c.json(refusalRecord(refusal), refusal.status);
}

/** The refusal that an error is answered with. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof Misuse) return new Refusal("request.invalid", error.expected, error.field);
  if (error instanceof SandboxError) return new Refusal(`sandbox.${error.code}`, error.message, error.field);
  process.stderr.write(`doorcode-sandbox: ${error instanceof Error ? error.stack : error}\n`);
  return new Refusal("internal", "The sandbox failed: what went wrong stands on its stderr.");
}
