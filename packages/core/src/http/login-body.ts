import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { encodingFix, isEncoded, readBodyInTime } from "./body.ts";
import type { HttpRequest } from "./exchange.ts";

const limitBytes = 16 * 1024;
const maxChallengeCharacters = 4096;

/** The format of a body. It also decides the format of the answer. */
export type BodyFormat = "json" | "form" | "none";

const formats: ReadonlyMap<string, BodyFormat> = new Map([
  ["application/json", "json"],
  ["application/x-www-form-urlencoded", "form"],
]);

/** Reads the format from the content type: JSON, an HTML form or no body; `undefined` for any other type. */
export function bodyFormat({ headers }: HttpRequest): BodyFormat | undefined {
  const contentType = headers["content-type"];
  if (contentType === undefined) return "none";
  if (typeof contentType !== "string") return undefined;
  return formats.get(contentType.replace(/;.*/s, "").trim().toLowerCase());
}

/** The members of a login's body that are read. Ids, purposes and any other members are ignored. */
export interface LoginBody {
  /** The phone number as the person typed it. */
  readonly phone?: string | undefined;
  /** The ISO 3166 code of the country that the person chose. */
  readonly country?: string | undefined;
  /** The channel to try first. */
  readonly channel?: string | undefined;
  /** The code as the person typed it. */
  readonly code?: string | undefined;
  /** The token of a challenge that the person has solved. */
  readonly challenge?: string | undefined;
  /** The language of the page (BCP 47). One that is no text is ignored, like one that nobody knows. */
  readonly language?: string | undefined;
  /** The public tag of the transaction that the page shows. */
  readonly transaction?: string | undefined;
  /** The path to which a form is redirected after the login. */
  readonly next?: string | undefined;
}

const text = z.string().optional();
const challengeTooLong = `must have at most ${maxChallengeCharacters} characters`;

const loginBodyShape: z.ZodType<LoginBody> = z.object({
  phone: text,
  country: text,
  channel: text,
  code: text,
  challenge: z.string().max(maxChallengeCharacters, challengeTooLong).optional(),
  language: text.catch(undefined),
  transaction: text,
  next: text,
});

/**
 * Reads and parses the body of a login's POST.
 *
 * @throws {@link DoorcodeError} `body_malformed`, which names the wrong member; `body_too_large` beyond 16 KiB;
 * `body_too_slow`; `server_busy` if other bodies need the memory; `media_type_unsupported` for a compressed one
 */
export async function readLoginBody(request: HttpRequest, format: BodyFormat, clock: Clock): Promise<LoginBody> {
  if (format === "none") return {};
  const body = await readBodyInTime(request, limitBytes, clock);
  const members = "parsed" in body ? body.parsed : parseText(body.bytes, format, request);
  const parsed = loginBodyShape.safeParse(members);
  if (parsed.success) return format === "form" ? withoutEmpty(parsed.data) : parsed.data;
  const [issue] = parsed.error.issues;
  const member = issue?.path.join();
  const expected = issue?.code === "too_big" ? issue.message : "must be a string";
  throw new DoorcodeError("body_malformed", {
    message: member ? `\`${member}\` ${expected}.` : "The body must be a JSON object.",
  });
}

/** Drops empty fields: a form also sends the fields that the person did not fill in. */
function withoutEmpty(body: LoginBody): LoginBody {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ""));
}

function parseText(bytes: Uint8Array, format: BodyFormat, request: HttpRequest): unknown {
  const text = new TextDecoder().decode(bytes);
  if (format === "form") return Object.fromEntries(new URLSearchParams(text));
  // A POST without members, such as a logout, may have no body.
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // Asked only now: a host may have decompressed the body, and left its header.
    if (isEncoded(request)) throw new DoorcodeError("media_type_unsupported", { message: encodingFix });
    throw new DoorcodeError("body_malformed", { message: "The body is not JSON." });
  }
}
