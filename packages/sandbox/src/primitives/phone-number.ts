import { parseE164 } from "@doorcode/core";
import { z } from "zod";

/** The shape of an E.164 phone number that can exist. */
export const phoneShape: z.ZodType<string> = z
  .string()
  .refine((text) => parseE164(text) !== undefined, {
    message: "Must be a phone number in international format, such as +4915112345678.",
  })
  .meta({ pattern: "^\\+[1-9][0-9]{6,14}$", examples: ["+4915112345678"] });
