import { z } from "zod";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import type { Application } from "../state/application.ts";
import type { Dialect } from "../state/dialect.ts";
import { type Channel, channels } from "../state/message.ts";

/** The body of `POST /messages`. */
export interface MessageRequest {
  /** E.164. Each recipient gets one message for each entry of `channels`. */
  readonly recipients: readonly string[];
  /** The channel, the sender and the text of each message. */
  readonly channels: readonly {
    readonly channel: "SMS";
    readonly sender: string;
    readonly content: { readonly text: string };
  }[];
  /** The destination of the events, instead of the endpoints of the application. */
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications`. */
export interface VerificationRequest {
  /** E.164. */
  readonly recipient: string;
  /** The template of the text and the values of its variables. */
  readonly template?: TemplateUse | undefined;
  /** The channels to try. The lowest priority number comes first. */
  readonly channels: readonly { readonly channel_name: Channel; readonly priority: number }[];
  /** A code that the caller supplies and checks. */
  readonly custom_otp?: string | undefined;
  /** The destination of the events, instead of the endpoints of the application. */
  readonly callback_url?: string | undefined;
}

/** A template and the values of its variables. */
export interface TemplateUse {
  readonly name: string;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

interface RequestShapes {
  readonly messages: z.ZodType<MessageRequest>;
  readonly verifications: z.ZodType<VerificationRequest>;
}

/** The configuration that the forms of requests and answers depend on. */
export type WireConfiguration = Pick<Application, "dialect" | "settings">;

const shapes = new WeakMap<WireConfiguration, RequestShapes>();

/** Returns the shapes for an application. Each configuration is a new record, so they are created once for each record. */
export function requestShapes(application: WireConfiguration): RequestShapes {
  const known = shapes.get(application);
  if (known) return known;
  const created = { messages: messageRequestShape(application), verifications: verificationRequestShape(application) };
  shapes.set(application, created);
  return created;
}

/** The shape of the body of a confirmation. @see "Confirmation request and response" of the specification */
export const confirmationRequestShape: z.ZodType<{ readonly otp_code: string }> = z.object({
  otp_code: z.string().min(1).max(64),
});

/** @see "Message request" of the specification */
function messageRequestShape(application: WireConfiguration): z.ZodType<MessageRequest> {
  const { maxRecipients, maxChannels, maxTextLength } = application.settings;
  const content = z.object({ text: z.string().min(1).max(maxTextLength) });
  const entry = z.object({ channel: z.literal("SMS"), sender: z.string().min(1), content });
  return z.object({
    recipients: z.array(phoneShape).min(1).max(maxRecipients),
    channels: z.array(entry).min(1).max(maxChannels),
    callback_url: callbackUrlShape(application).optional(),
  });
}

/** The page has a path for each channel of a number, so half a character or two dots would be no name. */
const anyChannel: z.ZodType<string> = z
  .string()
  .min(1)
  .max(40)
  .refine((name) => name.isWellFormed() && !/^\.{1,2}$/.test(name), "expected a name that can be part of a path");

/** @see "Verification request" of the specification */
function verificationRequestShape(application: WireConfiguration): z.ZodType<VerificationRequest> {
  const { settings, dialect } = application;
  const template = z.object({ name: z.string().min(1), variables: z.record(z.string(), z.string()).optional() });
  const name = dialect.channelNames === "any" ? anyChannel : z.enum(channels);
  const entry = z.object({ channel_name: name, priority: z.int().min(1) });
  const isOptional = dialect.customOtpTemplate === "optional";
  return z
    .object({
      recipient: phoneShape,
      template: template.optional(),
      channels: z.array(entry).min(1).max(settings.maxChannels),
      custom_otp: z.string().min(1).max(64).optional(),
      callback_url: callbackUrlShape(application).optional(),
    })
    .refine(({ template, custom_otp }) => template || (custom_otp && isOptional), {
      path: ["template"],
      message: isOptional ? "Required without custom_otp." : "Required.",
    })
    .meta({ anyOf: ["template", ...(isOptional ? ["custom_otp"] : [])].map((name) => ({ required: [name] })) });
}

function callbackUrlShape({ dialect }: WireConfiguration): z.ZodType<string> {
  return z
    .string()
    .refine((text) => isDestination(text, dialect), { message: destinationMessage(dialect) })
    .meta({ format: "uri", description: "The destination of the events of this request." });
}

/**
 * Tells whether webhooks can be sent to a URL: https, or http on this machine unless the dialect refuses that.
 *
 * @see "Receiver contract" of the specification
 */
export function isDestination(text: string, { httpTargets }: Dialect): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === "https:" || (httpTargets === "loopback" && isLoopbackUrl(text));
}

/** Returns the error message for a URL that {@link isDestination} refuses. */
export function destinationMessage({ httpTargets }: Dialect): string {
  return httpTargets === "loopback" ? "Must be an https URL, or an http URL on this machine." : "Must be an https URL.";
}
