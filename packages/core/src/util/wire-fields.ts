import { z } from "zod";

/*
 * The fields that the service sends in answers and in webhooks alike. A field of an unexpected type is read as missing,
 * never refused: the rest of the record is still worth having.
 */

/** A text that may be missing. */
export const optionalText: z.ZodType<string | undefined> = z.string().optional().catch(undefined);

/** An instant that may be missing, as the service wrote it: a text, or Unix seconds or milliseconds. */
export const optionalInstant: z.ZodType<string | number | undefined> = z
  .union([z.string(), z.number()])
  .optional()
  .catch(undefined);

/** An identifier as text. A number beyond 2^53 has lost digits in parsing and could name another record, so it is refused. */
export const identifier: z.ZodType<string> = z.union([z.string().min(1), z.int().transform(String)]);

/** A text, or a whole number as text. Anything else is read as an empty text. */
export const textOrNone: z.ZodType<string> = identifier.catch("");

/** An identifier that may be missing. */
export const optionalIdentifier: z.ZodType<string | undefined> = identifier.optional().catch(undefined);
