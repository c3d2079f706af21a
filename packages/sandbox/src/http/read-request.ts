import type { Context } from "hono";
import { Refusal } from "../primitives/errors.ts";
import { findApplication, type Service } from "../service/service.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";

/** The size limit of a request to the control API and of a form. The API has its own, a setting of the application. */
const maxBytes = 1_048_576;

/**
 * Reads the JSON body of a request to the control API. The function that gets the value must check it.
 *
 * @throws Refusal `request.unsupported_media_type`; `request.too_large`; `request.malformed` for a body that is not UTF-8 or
 * not JSON
 */
export async function readJson(c: Context): Promise<unknown> {
  requireJson(c);
  return decodeJson(await readBytes(c));
}

/** Requires a JSON content type. @throws Refusal `request.unsupported_media_type` */
export function requireJson(c: Context): void {
  if (/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) return;
  throw new Refusal("request.unsupported_media_type", "Send Content-Type: application/json.");
}

/** Decodes JSON. @throws Refusal `request.malformed` for bytes that are not UTF-8 or not JSON */
export function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal("request.malformed", "The body is not valid JSON.");
  }
}

/**
 * Reads the body of a request.
 *
 * @param limitBytes - the maximum size. The function counts the bytes while they arrive, because a declared length can be wrong.
 * @throws Refusal `request.too_large`
 */
export async function readBytes(c: Context, limitBytes: number = maxBytes): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw new Refusal("request.too_large", `A body can have at most ${limitBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns the application that a path names as `:application`. A path without it means the default application.
 *
 * @throws SandboxError `application_unknown`
 */
export function applicationOf(service: Service, c: Context): Application {
  return findApplication(service, c.req.param("application") ?? defaultApplicationId);
}
