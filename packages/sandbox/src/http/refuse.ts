import type { Context } from "hono";
import { Refusal, type RefusalCode } from "../refusal.ts";

/** The body of every refusal but that of a confirmation. */
export function refusalBody(code: RefusalCode, message: string, field?: string): object {
  return { error_code: code, error_message: message, ...(field !== undefined && { field }) };
}

/** Answers a refusal as JSON; anything else that was thrown is ours, and what it says stays here. */
export function refuse(error: unknown, c: Context): Response {
  const refusal = error instanceof Refusal ? error : new Refusal("internal", "The sandbox failed.");
  return c.json(refusalBody(refusal.code, refusal.message, refusal.field), refusal.status);
}
