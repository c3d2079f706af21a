import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { Refusal } from "../refusal.ts";
import { refuse } from "./refuse.ts";

/** Admits a JSON body of limited size; the limit holds while reading. */
export function jsonBody(limitBytes: number): MiddlewareHandler {
  const tooLarge = new Refusal("request.too_large", `A body has at most ${limitBytes} bytes.`);
  const limit = bodyLimit({ maxSize: limitBytes, onError: (c) => refuse(tooLarge, c) });
  return (c, next) => {
    if (/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) return limit(c, next);
    throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/json.");
  };
}

/**
 * Reads the body in the given shape.
 *
 * @throws Refusal `request.malformed` for what is not UTF-8 or not JSON; `request.invalid` naming the field
 */
export async function readJson<Body>(c: Context, shape: z.ZodType<Body>): Promise<Body> {
  const parsed = shape.safeParse(parseJson(await c.req.arrayBuffer()));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal("request.invalid", issue?.message ?? "Invalid input.", fieldName(issue?.path ?? []));
}

function parseJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal("request.malformed", "The body is not JSON.");
  }
}

/** As the specification writes a path: `channels[0].content.text`; empty for the body itself. */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}
