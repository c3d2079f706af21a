import { z } from "zod";
import { isLoopbackOrigin } from "../util/origin.ts";

/** A text of a request. */
export const nonEmptyText: z.ZodType<string> = z.string().min(1, "expected a text that is not empty");

/** The phone number of a recipient. */
export const phoneNumber: z.ZodType<string> = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, "expected a phone number in E.164: + and 7 to 15 digits");

/** A one-time code. */
export const oneTimeCode: z.ZodType<string> = z
  .string()
  .regex(/^[0-9A-Za-z]{1,64}$/, "expected 1 to 64 digits or letters");

/** The URL that receives the events of a request. It may be missing. */
export const callbackUrl: z.ZodType<string | undefined> = z
  .string()
  .refine((text) => parseSecureUrl(text) !== undefined, "expected an https URL, or http on this machine")
  .optional();

/** Parses a URL to which secrets may be sent: `https`, or `http` on this machine, without a user or password. */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || isLoopbackOrigin(url.origin) ? url : undefined;
}

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

/** An identifier as text: of a number beyond 2^53, what `parseExact` has kept. */
export const identifier: z.ZodType<string> = z.union([z.string().min(1), z.int().transform(String)]);

/** A text, or a whole number as text. Anything else is read as an empty text. */
export const textOrNone: z.ZodType<string> = identifier.catch("");

/** An identifier that may be missing. */
export const optionalIdentifier: z.ZodType<string | undefined> = identifier.optional().catch(undefined);
