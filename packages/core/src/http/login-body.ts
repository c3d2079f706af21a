import { z } from "zod";
import { DoorcodeError } from "../primitives/errors.ts";
import type { HttpRequest } from "./exchange.ts";

const limitBytes = 16 * 1024;

/** How a body was written, and so how it wants to be answered. */
export type BodyFormat = "json" | "form" | "none";

/** Tells JSON, an HTML form and a post without a body apart by the content type; `undefined` for anything else. */
export function bodyFormat({ headers }: HttpRequest): BodyFormat | undefined {
  const contentType = headers["content-type"];
  if (contentType === undefined) return "none";
  const [mediaType = ""] = typeof contentType === "string" ? contentType.split(";") : [];
  switch (mediaType.trim().toLowerCase()) {
    case "application/json":
      return "json";
    case "application/x-www-form-urlencoded":
      return "form";
    default:
      return undefined;
  }
}

/** The members of a login's body that count; ids, purposes and anything else in it are not even looked at. */
export interface LoginBody {
  readonly phone?: string | undefined;
  readonly country?: string | undefined;
  readonly channel?: string | undefined;
  readonly code?: string | undefined;
  /** The public tag of the transaction that the page speaks of. */
  readonly transaction?: string | undefined;
  /** Where a form wants to go when it is done. */
  readonly next?: string | undefined;
}

const bodyShape: z.ZodType<LoginBody> = z.object({
  phone: z.string().optional(),
  country: z.string().optional(),
  channel: z.string().optional(),
  code: z.string().optional(),
  transaction: z.string().optional(),
  next: z.string().optional(),
});

/**
 * Reads and parses the body of a login's post.
 *
 * @throws {@link DoorcodeError} `body_malformed` naming the member that is wrong; `body_too_large` beyond 16 KiB
 */
export async function readLoginBody(request: HttpRequest, format: BodyFormat): Promise<LoginBody> {
  if (format === "none") return {};
  const body = await request.readBody(limitBytes);
  const members = "parsed" in body ? body.parsed : parseText(body.bytes, format);
  const parsed = bodyShape.safeParse(members);
  if (parsed.success) return format === "form" ? withoutEmpty(parsed.data) : parsed.data;
  const member = parsed.error.issues[0]?.path.join(".");
  throw new DoorcodeError("body_malformed", {
    message: member ? `\`${member}\` must be a string.` : "The body must be a JSON object.",
  });
}

/** A form sends every field that it has: one that was left empty says nothing. */
function withoutEmpty(body: LoginBody): LoginBody {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ""));
}

function parseText(bytes: Uint8Array, format: BodyFormat): unknown {
  const text = new TextDecoder().decode(bytes);
  if (format === "form") return Object.fromEntries(new URLSearchParams(text));
  // A post without members, such as a logout, may come without a body.
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new DoorcodeError("body_malformed", { message: "The body is not JSON." });
  }
}
