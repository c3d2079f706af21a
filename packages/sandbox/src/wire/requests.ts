import { z } from "zod";
import type { Application } from "../state/application.ts";
import { type Channel, channels } from "../state/message.ts";
import { destinationSentence, isDestination } from "./destination.ts";
import { phoneShape } from "./phone.ts";

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
  readonly channels: readonly { readonly channel_name: Channel; readonly priority: number }[];
  readonly custom_otp?: string | undefined;
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications/confirmation/{verification_id}`. */
export interface ConfirmationRequest {
  readonly otp_code: string;
}

/** The bodies that the API takes, as an application is configured. */
export interface RequestShapes {
  readonly messages: z.ZodType<MessageRequest>;
  readonly verifications: z.ZodType<VerificationRequest>;
}

const shapes = new WeakMap<Application, RequestShapes>();

/** The shapes for an application. They are made once for each configuration, which is a record of its own. */
export function requestShapes(application: Application): RequestShapes {
  const known = shapes.get(application);
  if (known) return known;
  const made = { messages: messageRequestShape(application), verifications: verificationRequestShape(application) };
  shapes.set(application, made);
  return made;
}

/** Shapes the body of a confirmation. @see "Confirmation request and response" of the specification */
export const confirmationRequestShape: z.ZodType<ConfirmationRequest> = z.object({
  otp_code: z.string().min(1).max(64),
});

/** @see "Message request" of the specification */
function messageRequestShape(application: Application): z.ZodType<MessageRequest> {
  const { settings } = application;
  const content = z.object({ text: z.string().min(1).max(settings.textLimit) });
  const entry = z.object({ channel: z.literal("SMS"), sender: z.string().min(1), content });
  return z.object({
    recipients: z.array(phoneShape).min(1).max(settings.recipientsLimit),
    channels: z.array(entry).min(1).max(settings.channelsLimit),
    callback_url: callbackUrl(application).optional(),
  });
}

/** @see "Verification request" of the specification */
function verificationRequestShape(application: Application): z.ZodType<VerificationRequest> {
  const { settings, dialect } = application;
  const template = z.object({ name: z.string().min(1), variables: z.record(z.string(), z.string()).optional() });
  const name = dialect.channelNames === "any" ? z.string().min(1).max(40) : z.enum(channels);
  const entry = z.object({ channel_name: name, priority: z.int().min(1) });
  return z
    .object({
      recipient: phoneShape,
      template: template.optional(),
      channels: z.array(entry).min(1).max(settings.channelsLimit),
      custom_otp: z.string().min(1).max(64).optional(),
      callback_url: callbackUrl(application).optional(),
    })
    .refine(({ template, custom_otp }) => template || (custom_otp && dialect.customOtpTemplate === "optional"), {
      path: ["template"],
      message: dialect.customOtpTemplate === "optional" ? "Required, unless custom_otp is given." : "Required.",
    });
}

function callbackUrl({ dialect }: Application): z.ZodType<string> {
  return z.string().refine((text) => isDestination(text, dialect), { message: destinationSentence(dialect) });
}
