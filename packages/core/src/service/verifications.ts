import { z } from "zod";
import { type AcceptedAnswer, type Call, missingPathHint, type ServiceCall, throwIfRefused } from "./call.ts";
import type { CallOptions } from "./messages.ts";
import { readText } from "./read-text.ts";
import { readKnownCode } from "./refusal.ts";
import { isVerificationId, readVerificationId, verificationSegment } from "./verification-id.ts";
import {
  type ConfirmationRequest,
  checkRequest,
  confirmationRequestShape,
  type VerificationRequest,
  verificationRequestShape,
} from "./wire.ts";

/** A verification that the service accepted. */
export interface Verification {
  /** The service's id of the request, for its support. */
  readonly request_id: string | undefined;
  /** The id that `confirm` and the events use. The specification does not show its field, so several are tried. */
  readonly verificationId: string | undefined;
}

/** The answer to an approved confirmation. Every other answer is an error. */
export interface Confirmation {
  /** Always true. */
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

const creationShape = z.record(z.string(), z.unknown());
const confirmationShape = z.object({ success: z.boolean(), message: z.string().catch("") });

const path = "/verifications";

/** The specification shows neither the refusal of an unknown template nor a list of them. */
function templateHint({ template }: VerificationRequest): ServiceCall["hints"] {
  if (!template) return {};
  const hint = `The template is ${JSON.stringify(template.name)}: look whether the application has it, with these variables`;
  return { service_invalid_request: hint };
}

/**
 * Creates the verifications API of a client.
 *
 * @param readId - finds the id in the body of a creation's answer. Default: looks in the usual fields.
 */
export function createVerifications(
  call: Call,
  readId: (body: unknown) => string | undefined = readVerificationId,
): Verifications {
  return {
    async create(request, { signal } = {}) {
      const body = checkRequest(verificationRequestShape, request);
      const sensitive = [body.recipient, body.custom_otp ?? "", ...Object.values(body.template?.variables ?? {})];
      const hints = { ...missingPathHint(path), ...templateHint(body) };
      const accepted = await call({ method: "POST", path, body, sensitive, hints, signal });
      return readCreation(accepted, readId);
    },
    async confirm(verificationId, request, { signal } = {}) {
      const body = checkRequest(confirmationRequestShape, request);
      const accepted = await call({
        method: "POST",
        path: `${path}/confirmation/${verificationSegment(verificationId)}`,
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
  const { body } = accepted;
  if (!creationShape.safeParse(body).success) throw accepted.error("service_unreadable");
  const id = readId(body);
  return {
    request_id: readText(body, "request_id") || undefined,
    verificationId: id !== undefined && isVerificationId(id) ? id : undefined,
  };
}

/** Accepts only an exact approval: a truthy text, an empty body or a proxy's page must never log anybody in. */
function readConfirmation(accepted: AcceptedAnswer): Confirmation {
  const answer = confirmationShape.safeParse(accepted.body).data;
  if (answer === undefined) throw accepted.error("service_unreadable");
  if (!answer.success) throw accepted.error(readKnownCode(accepted.body) ?? "verify.invalid_code");
  return { success: true, message: answer.message };
}
