import type { Context } from "hono";
import { z } from "zod";
import { pathOf } from "../misuse.ts";
import { Refusal } from "../refusal.ts";

/**
 * Reads a JSON body in the given shape.
 *
 * @param limitBytes - holds while reading, whatever length was declared.
 * @throws Refusal `request.unsupported_media_type`; `request.too_large`; `request.malformed` for what is not UTF-8 or not
 * JSON; `request.invalid` naming the field
 */
export async function readJson<Body>(c: Context, shape: z.ZodType<Body>, limitBytes: number): Promise<Body> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/json.");
  }
  const parsed = shape.safeParse(parseJson(await readBytes(c.req.raw.body, limitBytes)));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Refusal("request.invalid", issue?.message ?? "Invalid input.", fieldName(issue ? pathOf(issue) : []));
}

const controlLimitBytes = 1_048_576;

/**
 * Reads a JSON body of the control API. Without a shape it is whatever it is: the control that gets it checks it.
 *
 * @throws Refusal as {@link readJson} does
 */
export function readControl<Body = unknown>(c: Context, shape?: z.ZodType<Body>): Promise<Body>;
export function readControl(c: Context, shape: z.ZodType = z.unknown()): Promise<unknown> {
  return readJson(c, shape, controlLimitBytes);
}

/**
 * Reads a body.
 *
 * @param limitBytes - holds while reading, whatever length was declared.
 * @throws Refusal `request.too_large`
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw new Refusal("request.too_large", `A body has at most ${limitBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(bytes: Uint8Array): unknown {
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
