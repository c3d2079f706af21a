import { z } from "zod";
import { type Clock, inTime } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { Body, HttpRequest } from "./exchange.ts";

/** The service gives up on a delivery after five seconds, and a page sends a few hundred bytes. */
const limitSeconds = 5;

/** The bytes that all bodies of the process may hold together before they are verified or parsed. */
const maxHeldBytes = 16 * 1024 * 1024;

/**
 * Reads the body of a request, for at most five seconds: a client that sends a byte now and then must not hold memory and a connection. The
 * caller verifies or parses the bytes immediately: they are not counted any more.
 * @throws DoorcodeError `body_too_slow`, and what {@link HttpRequest.readBody} throws
 */
export function readBodyInTime(request: HttpRequest, limitBytes: number, clock: Clock): Promise<Body> {
  const createError = () => new DoorcodeError("body_too_slow");
  return inTime(clock, limitSeconds, createError, (signal) => request.readBody(limitBytes, signal));
}

/** Creates the error of a body whose client closed the connection before the body was complete. */
export function createHangUpError(): DoorcodeError {
  return new DoorcodeError("body_malformed", { message: "The connection closed before the body was complete." });
}

/** The fix for a sender of an encoded body. */
export const encodingFix = "Send the body without a content encoding.";

/** Detects a content encoding: the kit decompresses nothing. */
export function isEncoded({ headers }: HttpRequest): boolean {
  const encoding = headers["content-encoding"] || "identity";
  return typeof encoding !== "string" || encoding.toLowerCase() !== "identity";
}

/** The bodies of the process that hold bytes, the oldest first, each with the function that refuses it. */
const holders = new Map<object, (error: DoorcodeError) => void>();
let heldBytes = 0;

/** The bytes of one body that is being read. */
export interface CollectedBytes {
  /** Adds a chunk. It may refuse this body or an older one. */
  add(chunk: Uint8Array): void;
  bytes(): Uint8Array;
  /** Drops the bytes, which are complete or refused, and ends their count. A second call changes nothing. */
  release(): void;
}

/**
 * Collects the bytes of a body in one growing buffer of at most twice their size: a chunk of one byte that is kept takes 200 bytes and
 * more. The length that a client declares reserves nothing.
 *
 * All bodies of the process together hold at most 16 MiB. Beyond that the oldest one is refused: a stranger who never ends a body cannot
 * keep out a body that comes immediately. The caller parses or verifies a body in the turn of the event loop that releases it.
 *
 * @param refuse - ends the reading and calls `release`. It gets `body_too_large` or, if others need the place, `server_busy`.
 */
export function collectBytes(limitBytes: number, refuse: (error: DoorcodeError) => void): CollectedBytes {
  let buffer = Buffer.alloc(0);
  let length = 0;

  function grow(minBytes: number): void {
    const larger = Buffer.alloc(Math.min(limitBytes, Math.max(minBytes, 2 * buffer.byteLength)));
    larger.set(buffer);
    heldBytes += larger.byteLength - buffer.byteLength;
    buffer = larger;
    holders.set(collected, refuse);
  }

  const collected: CollectedBytes = {
    add(chunk) {
      const newLength = length + chunk.byteLength;
      if (newLength > limitBytes) return refuse(new DoorcodeError("body_too_large"));
      if (newLength > buffer.byteLength) grow(newLength);
      buffer.set(chunk, length);
      length = newLength;
      refuseOldest();
    },
    bytes: () => buffer.subarray(0, length),
    release() {
      heldBytes -= buffer.byteLength;
      buffer = Buffer.alloc(0);
      length = 0;
      holders.delete(collected);
    },
  };
  return collected;
}

function refuseOldest(): void {
  for (const refuse of holders.values()) {
    if (heldBytes <= maxHeldBytes) return;
    // Every body has five seconds, so all bodies that are held now are gone by then.
    refuse(new DoorcodeError("server_busy", { retryAfterSeconds: limitSeconds }));
  }
}

const maxLoginBodyBytes = 16 * 1024;
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
  readonly channel?: string | undefined;
  readonly code?: string | undefined;
  /** The token of a challenge that the person has solved. */
  readonly challenge?: string | undefined;
  /** The language of the page (BCP 47). One that is no text is ignored, like one that nobody knows. */
  readonly language?: string | undefined;
  /** The version of the line of consent that the page shows. Anything that is no version is ignored. */
  readonly consent?: string | undefined;
  /** Present if the person wants no further step-up in this browser. Anything else than JSON's `true` or a form's `on` is ignored. */
  readonly remember?: true | "on" | undefined;
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
  consent: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .catch(undefined),
  remember: z
    .union([z.literal(true), z.literal("on")])
    .optional()
    .catch(undefined),
  transaction: text,
  next: text,
});

/**
 * Reads and parses the body of a login's POST.
 *
 * @throws {@link DoorcodeError} `body_malformed`, which names the wrong member; `body_too_large` beyond 16 KiB; `body_too_slow`;
 * `server_busy` if other bodies need the memory; `media_type_unsupported` for a compressed one
 */
export async function readLoginBody(request: HttpRequest, format: BodyFormat, clock: Clock): Promise<LoginBody> {
  if (format === "none") return {};
  const body = await readBodyInTime(request, maxLoginBodyBytes, clock);
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
