import { parsePhoneNumber } from "@doorcode/core";
import { z } from "zod";

/** The shape of a phone number: international format, a plus sign and digits, one that can exist. */
export const phoneShape: z.ZodType<string> = z.string().refine((text) => parsePhoneNumber(text)?.e164 === text, {
  message: "Must be a phone number in international format: a plus sign and digits.",
});
