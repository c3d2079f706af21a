import { parsePhoneNumber } from "@doorcode/core";
import { z } from "zod";
import type { Settings } from "../settings.ts";
import { channels } from "../state/message.ts";
import { isLoopbackUrl } from "../webhook/loopback.ts";

const phone = z.string().refine((text) => parsePhoneNumber(text)?.e164 === text, {
  message: "Must be a phone number in international format: a plus sign and digits.",
});

const callbackUrl = z.string().refine(isCallbackUrl, { message: "Must be an https URL, or http on this machine." });

/** The body of `POST /messages`. */
export interface MessageRequest {
  readonly recipients: readonly string[];
  readonly channels: readonly {
    readonly channel: "SMS";
    readonly sender: string;
    readonly content: { readonly text: string };
  }[];
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications`. */
export interface VerificationRequest {
  readonly recipient: string;
  readonly template?:
    | { readonly name: string; readonly variables?: Readonly<Record<string, string>> | undefined }
    | undefined;
  readonly channels: readonly { readonly channel_name: (typeof channels)[number]; readonly priority: number }[];
  readonly custom_otp?: string | undefined;
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications/confirmation/{verification_id}`. */
export interface ConfirmationRequest {
  readonly otp_code: string;
}

/** Shapes the body of `POST /messages`. @see "Message request" of the specification */
export function messageRequestShape(settings: Settings): z.ZodType<MessageRequest> {
  const content = z.object({ text: z.string().min(1).max(settings.textLimit) });
  const entry = z.object({ channel: z.literal("SMS"), sender: z.string().min(1), content });
  return z.object({
    recipients: z.array(phone).min(1).max(settings.recipientsLimit),
    channels: z.array(entry).min(1).max(settings.channelsLimit),
    callback_url: callbackUrl.optional(),
  });
}

/** Shapes the body of `POST /verifications`. @see "Verification request" of the specification */
export function verificationRequestShape(settings: Settings): z.ZodType<VerificationRequest> {
  const template = z.object({ name: z.string().min(1), variables: z.record(z.string(), z.string()).optional() });
  const entry = z.object({ channel_name: z.enum(channels), priority: z.int().min(1) });
  return z
    .object({
      recipient: phone,
      template: template.optional(),
      channels: z.array(entry).min(1).max(settings.channelsLimit),
      custom_otp: z.string().min(1).max(64).optional(),
      callback_url: callbackUrl.optional(),
    })
    .refine(({ template, custom_otp }) => template !== undefined || custom_otp !== undefined, {
      path: ["template"],
      message: "Required, unless custom_otp is given.",
    });
}

/** Shapes the body of a confirmation. @see "Confirmation request and response" of the specification */
export const confirmationRequestShape: z.ZodType<ConfirmationRequest> = z.object({
  otp_code: z.string().min(1).max(64),
});

function isCallbackUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === "https:" || isLoopbackUrl(text);
}
