import { z } from "zod";
import { DoorcodeError } from "../util/errors.ts";
import { parseSecureUrl } from "./secure-url.ts";

/** The body of `POST /messages`. @see "Message request" of the specification */
export interface MessageRequest {
  /** The phone numbers in E.164: `+` and digits. */
  readonly recipients: readonly string[];
  /** The channels to send over. */
  readonly channels: readonly {
    /** The name of the channel. */
    readonly channel: "SMS";
    /** A sender ID that is registered on the account, or a rented number. */
    readonly sender: string;
    /** The text of the message. */
    readonly content: { readonly text: string };
  }[];
  /** The URL that receives the events of this request, instead of the application's webhook endpoint. */
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications`. @see "Verification request" of the specification */
export interface VerificationRequest {
  /** The phone number in E.164: `+` and digits. */
  readonly recipient: string;
  /** The template of the message. Optional with `custom_otp`. */
  readonly template?:
    | { readonly name: string; readonly variables?: Readonly<Record<string, string>> | undefined }
    | undefined;
  /** The channels. Priority 1 is tried first. */
  readonly channels: readonly { readonly channel_name: string; readonly priority: number }[];
  /** The app's own code. The service delivers it unchanged and never confirms it. */
  readonly custom_otp?: string | undefined;
  /** The URL that receives the events of this request, instead of the application's webhook endpoint. */
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications/confirmation/{verification_id}`. @see "Confirmation request and response" */
export interface ConfirmationRequest {
  /** The code as the person typed it. */
  readonly otp_code: string;
}

const nonEmptyText = z.string().min(1, "expected a text that is not empty");
const phone = z.string().regex(/^\+[1-9]\d{6,14}$/, "expected a phone number in E.164: + and 7 to 15 digits");
const code = z.string().regex(/^[0-9A-Za-z]{1,64}$/, "expected 1 to 64 digits or letters");
const callbackUrl = z
  .string()
  .refine((text) => parseSecureUrl(text) !== undefined, "expected an https URL, or http on this machine")
  .optional();

/**
 * The shape of a {@link MessageRequest}.
 *
 * @internal
 */
export const messageRequestShape: z.ZodType<MessageRequest> = z.strictObject({
  recipients: z.array(phone).min(1, "expected at least one recipient"),
  channels: z
    .array(
      z.strictObject({
        channel: z.literal("SMS"),
        sender: nonEmptyText,
        content: z.strictObject({ text: nonEmptyText }),
      }),
    )
    .min(1, "expected at least one channel"),
  callback_url: callbackUrl,
});

/**
 * The shape of a {@link VerificationRequest}. It adds missing `variables` to a template.
 *
 * @internal
 */
export const verificationRequestShape: z.ZodType<VerificationRequest> = z
  .strictObject({
    recipient: phone,
    template: z
      .strictObject({ name: nonEmptyText, variables: z.record(z.string(), z.string()).default({}) })
      .optional(),
    channels: z
      .array(z.strictObject({ channel_name: nonEmptyText, priority: z.int().min(1, "expected 1 or more") }))
      .min(1, "expected at least one channel"),
    custom_otp: code.optional(),
    callback_url: callbackUrl,
  })
  .refine(({ template, custom_otp }) => template !== undefined || custom_otp !== undefined, {
    path: ["template"],
    error: "expected a template or a custom_otp",
  });

/**
 * The shape of a {@link ConfirmationRequest}.
 *
 * @internal
 */
export const confirmationRequestShape: z.ZodType<ConfirmationRequest> = z.strictObject({ otp_code: code });

/**
 * Checks a request before it is sent.
 *
 * @throws DoorcodeError `service_invalid_request`; it names the field, never its value.
 * @internal
 */
export function checkRequest<Request>(shape: z.ZodType<Request>, request: Request): Request {
  const parsed = shape.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  throw invalidRequest(field?.slice(1) || "request", issue?.message ?? "cannot be read");
}

/** Creates the error of a request that the client refuses to send. */
export function invalidRequest(field: string, expectation: string): DoorcodeError {
  return new DoorcodeError("service_invalid_request", { message: `${field}: ${expectation}.`, outcome: "refused" });
}
