import { z } from "zod";
import {
  type AcceptedAnswer,
  type Call,
  checkRequest,
  invalidRequest,
  missingPathHint,
  type ServiceCall,
  throwIfRefused,
} from "./call.ts";
import { readKnownCode } from "./errors.ts";
import { callbackUrl, nonEmptyText, oneTimeCode, optionalIdentifier, phoneNumber, textOrNone } from "./fields.ts";
import type { CallOptions } from "./messages.ts";

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

/** A verification that the service accepted. */
export interface Verification {
  /** The service's id of the request, for its support. */
  readonly request_id: string | undefined;
  /** The id that `confirm` and the events use. The specification does not show its field, so several are tried. */
  readonly verificationId: string | undefined;
}

/** The answer to an approved confirmation. Every other answer is an error. */
export interface Confirmation {
  readonly success: true;
  /** The service's text; empty if it sent none. */
  readonly message: string;
}

/** One-time codes. */
export interface Verifications {
  /**
   * Sends a code over the channels, in the order of their priority. Success means that the service accepted it.
   *
   * @throws DoorcodeError with a code that {@link ServiceClient} lists
   * @see `POST /verifications` of the specification
   */
  create(request: VerificationRequest, options?: CallOptions): Promise<Verification>;
  /**
   * Checks a code. Resolves only if the service approves it with a 2xx status and `success: true`.
   *
   * @throws DoorcodeError `verify.invalid_code`, `verify.expired` or `verify.max_attempts_reached`, or with a code that
   * {@link ServiceClient} lists
   * @see "Confirmation request and response" of the specification
   */
  confirm(verificationId: string, request: ConfirmationRequest, options?: CallOptions): Promise<Confirmation>;
}

const requestShape: z.ZodType<VerificationRequest> = z
  .strictObject({
    recipient: phoneNumber,
    // Adds missing variables.
    template: z
      .strictObject({ name: nonEmptyText, variables: z.record(z.string(), z.string()).default({}) })
      .optional(),
    channels: z
      .array(z.strictObject({ channel_name: nonEmptyText, priority: z.int().min(1, "expected 1 or more") }))
      .min(1, "expected at least one channel"),
    custom_otp: oneTimeCode.optional(),
    callback_url: callbackUrl,
  })
  .refine(({ template, custom_otp }) => template !== undefined || custom_otp !== undefined, {
    path: ["template"],
    error: "expected a template or a custom_otp",
  });

const confirmationShape: z.ZodType<ConfirmationRequest> = z.strictObject({ otp_code: oneTimeCode });

const creationAnswer = z.looseObject({ request_id: optionalIdentifier });
const confirmationAnswer = z.object({ success: z.boolean(), message: z.string().catch("") });

const path = "/verifications";

/** The specification shows neither the refusal of an unknown template nor a list of them. */
function templateHint({ template }: VerificationRequest): ServiceCall["hints"] {
  if (!template) return {};
  const fix = "look whether the application has it, with these variables";
  return { service_invalid_request: `The template is ${JSON.stringify(template.name)}: ${fix}` };
}

/** Creates the verifications API of a client. `readId` finds the id in the body of a creation's answer. */
export function createVerifications(
  call: Call,
  readId: (body: unknown) => string | undefined = findVerificationId,
): Verifications {
  return {
    async create(request, { signal } = {}) {
      const body = checkRequest(requestShape, request);
      const sensitive = [body.recipient, body.custom_otp ?? "", ...Object.values(body.template?.variables ?? {})];
      const hints = { ...missingPathHint(path), ...templateHint(body) };
      const accepted = await call({ method: "POST", path, body, sensitive, hints, signal });
      return readCreation(accepted, readId);
    },
    async confirm(verificationId, request, { signal } = {}) {
      const body = checkRequest(confirmationShape, request);
      const accepted = await call({
        method: "POST",
        path: `${path}/confirmation/${segmentOf(verificationId)}`,
        body,
        sensitive: [body.otp_code],
        signal,
      });
      return readConfirmation(accepted);
    },
  };
}

function readCreation(accepted: AcceptedAnswer, readId: (body: unknown) => string | undefined): Verification {
  throwIfRefused(accepted);
  const answer = creationAnswer.safeParse(accepted.body).data;
  if (!answer) throw accepted.error("service_unreadable");
  const id = readId(accepted.body);
  return {
    request_id: answer.request_id,
    verificationId: id !== undefined && isVerificationId(id) ? id : undefined,
  };
}

/** Accepts only an exact approval: a truthy text, an empty body or a proxy's page must never log anybody in. */
function readConfirmation(accepted: AcceptedAnswer): Confirmation {
  const answer = confirmationAnswer.safeParse(accepted.body).data;
  if (!answer) throw accepted.error("service_unreadable");
  if (!answer.success) throw accepted.error(readKnownCode(accepted.body) ?? "verify.invalid_code");
  return { success: true, message: answer.message };
}

/** The fields that may hold the id of a verification. The specification does not show which one does. */
const idFields = z.object({
  verification_id: textOrNone,
  data: z.object({ verification_id: textOrNone }).catch({ verification_id: "" }),
  verification: z.object({ id: textOrNone }).catch({ id: "" }),
  id: textOrNone,
  request_id: textOrNone,
});

/** Finds the id of a verification in the answer to its creation; `undefined` if there is no usable one. */
function findVerificationId(body: unknown): string | undefined {
  const fields = idFields.safeParse(body).data;
  if (!fields) return undefined;
  const { verification_id, data, verification, id, request_id } = fields;
  return [verification_id, data.verification_id, verification.id, id, request_id].find(isVerificationId);
}

/** Tells whether a text is safe as one segment of a path. Any other text could reach another endpoint. */
function isVerificationId(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text) && text !== "." && !/\.\.|[/\\]/.test(text);
}

function segmentOf(verificationId: string): string {
  if (!isVerificationId(verificationId)) throw invalidRequest("verificationId", "expected the id of a verification");
  return encodeURIComponent(verificationId);
}
