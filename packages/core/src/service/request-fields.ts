import { z } from "zod";
import { isLoopbackOrigin } from "../util/loopback.ts";

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

/**
 * Parses an absolute URL to which secrets may be sent: `https`, or `http` on this machine.
 *
 * @returns `undefined` for any other text, and for a URL with a user name or password.
 */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url?.username !== "" || url.password !== "") return undefined;
  return url.protocol === "https:" || isLoopbackOrigin(url.origin) ? url : undefined;
}
