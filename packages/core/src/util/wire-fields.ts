import { z } from "zod";

/*
 * The fields that the service sends in answers and in webhooks alike. A field of an unexpected type is read as missing,
 * never refused: the rest of the record is still worth having.
 */

/** Reads a text that may be missing. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Reads an instant as the service wrote it: a text, or Unix seconds or milliseconds. */
export function readInstant(value: unknown): string | number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : readText(value);
}

/** Reads an identifier as text. A number beyond 2^53 has lost digits in parsing and could name another record, so it is none. */
export function readIdentifier(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : readText(value) || undefined;
}

/** A text that may be missing. */
export const optionalText: z.ZodType<string | undefined> = z.unknown().transform(readText).optional();

/** An instant that may be missing. */
export const optionalInstant: z.ZodType<string | number | undefined> = z.unknown().transform(readInstant).optional();

/** An identifier that may be missing. */
export const optionalIdentifier: z.ZodType<string | undefined> = z.unknown().transform(readIdentifier).optional();

/** An identifier. */
export const identifier: z.ZodType<string> = optionalIdentifier.pipe(z.string());
