import { z } from "zod";
import { DoorcodeError } from "../primitives/errors.ts";
import { parseSecureUrl } from "./secure-url.ts";

/** The body of `POST /messages`. @see "Message request" of the specification */
export interface MessageRequest {
  /** Phone numbers in international format: `+` and digits. */
  readonly recipients: readonly string[];
  readonly channels: readonly {
    readonly channel: "SMS";
    /** A sender ID registered on the account, or a rented number. */
    readonly sender: string;
    readonly content: { readonly text: string };
  }[];
  /** Gets the events of this request instead of the application's endpoint. */
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications`. @see "Verification request" of the specification */
export interface VerificationRequest {
  /** A phone number in international format: `+` and digits. */
  readonly recipient: string;
  /** May be left out beside `custom_otp`. */
  readonly template?:
    | { readonly name: string; readonly variables?: Readonly<Record<string, string>> | undefined }
    | undefined;
  /** Priority 1 is tried first. */
  readonly channels: readonly { readonly channel_name: string; readonly priority: number }[];
  /** A code of the app's own, delivered as given and never confirmed by the service. */
  readonly custom_otp?: string | undefined;
  /** Gets the events of this request instead of the application's endpoint. */
  readonly callback_url?: string | undefined;
}

/** The body of `POST /verifications/confirmation/{verification_id}`. @see "Confirmation request and response" */
export interface ConfirmationRequest {
  readonly otp_code: string;
}

const filled = z.string().min(1, "expected a text");
const phone = z.string().regex(/^\+[1-9]\d{6,14}$/, "expected a phone number in E.164: + and 7 to 15 digits");
const code = z.string().regex(/^[0-9A-Za-z]{1,64}$/, "expected 1 to 64 digits or letters");
const callbackUrl = z
  .string()
  .refine((text) => parseSecureUrl(text) !== undefined, "expected an https URL, or http on this machine")
  .optional();

/** Checks a {@link MessageRequest}. */
export const messageRequestShape: z.ZodType<MessageRequest> = z.strictObject({
  recipients: z.array(phone).min(1, "expected a recipient"),
  channels: z
    .array(z.strictObject({ channel: z.literal("SMS"), sender: filled, content: z.strictObject({ text: filled }) }))
    .min(1, "expected a channel"),
  callback_url: callbackUrl,
});

/** Checks a {@link VerificationRequest}; a template always has `variables` then. */
export const verificationRequestShape: z.ZodType<VerificationRequest> = z
  .strictObject({
    recipient: phone,
    template: z.strictObject({ name: filled, variables: z.record(z.string(), z.string()).default({}) }).optional(),
    channels: z
      .array(z.strictObject({ channel_name: filled, priority: z.int().min(1, "expected 1 or more") }))
      .min(1, "expected a channel"),
    custom_otp: code.optional(),
    callback_url: callbackUrl,
  })
  .refine(({ template, custom_otp }) => template !== undefined || custom_otp !== undefined, {
    path: ["template"],
    error: "expected a template, unless there is a custom_otp",
  });

/** Checks a {@link ConfirmationRequest}. */
export const confirmationRequestShape: z.ZodType<ConfirmationRequest> = z.strictObject({ otp_code: code });

/**
 * Checks a request before it leaves.
 *
 * @throws DoorcodeError `service_invalid_request` naming the field, never its value.
 */
export function checkRequest<Request>(shape: z.ZodType<Request>, request: Request): Request {
  const parsed = shape.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  throw invalidRequest(field?.slice(1) || "request", issue?.message ?? "cannot be read");
}

/** Makes the error of a request that is wrong before it leaves. */
export function invalidRequest(field: string, complaint: string): DoorcodeError {
  return new DoorcodeError("service_invalid_request", { message: `${field}: ${complaint}.`, outcome: "refused" });
}
