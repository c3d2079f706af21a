import { z } from "zod";
import { type Accepted, type Call, refuseErrorCode } from "./call.ts";
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
  /** To quote to the service's support. */
  readonly request_id: string | undefined;
  /** What to confirm, and what events name; our reading of the answer, which the specification does not show. */
  readonly verificationId: string | undefined;
}

/** The answer to a confirmation that approves. Every other answer is an error. */
export interface Confirmation {
  readonly success: true;
  readonly message: string;
}

/** One-time codes. */
export interface Verifications {
  /**
   * Has a code sent, over the channels in their order. Success means accepted.
   *
   * @throws DoorcodeError as {@link ServiceClient} says.
   * @see `POST /verifications` of the specification
   */
  create(request: VerificationRequest, options?: CallOptions): Promise<Verification>;
  /**
   * Asks whether the code is right, and resolves only when the service approves it: a status of 2xx and `success: true`.
   *
   * @throws DoorcodeError as {@link ServiceClient} says, and `verify.invalid_code`, `verify.expired` or
   * `verify.max_attempts_reached`.
   * @see "Confirmation request and response" of the specification
   */
  confirm(verificationId: string, request: ConfirmationRequest, options?: CallOptions): Promise<Confirmation>;
}

const confirmationShape = z.object({ success: z.boolean(), message: z.string().catch("") });

/**
 * Creates the `verifications` of a client.
 *
 * @param readId - finds the id in the body of a creation's answer, instead of the usual places.
 */
export function createVerifications(
  call: Call,
  readId: (body: unknown) => string | undefined = readVerificationId,
): Verifications {
  return {
    async create(request, { signal } = {}) {
      const body = checkRequest(verificationRequestShape, request);
      const sensitive = [body.recipient, body.custom_otp ?? "", ...Object.values(body.template?.variables ?? {})];
      const accepted = await call({ method: "POST", path: "/verifications", body, sensitive, signal });
      return readCreation(accepted, readId);
    },
    async confirm(verificationId, request, { signal } = {}) {
      const path = `/verifications/confirmation/${verificationSegment(verificationId)}`;
      const body = checkRequest(confirmationRequestShape, request);
      const accepted = await call({ method: "POST", path, body, sensitive: [body.otp_code], signal });
      return readConfirmation(accepted);
    },
  };
}

function readCreation(accepted: Accepted, readId: (body: unknown) => string | undefined): Verification {
  refuseErrorCode(accepted);
  const { body } = accepted;
  if (!z.record(z.string(), z.unknown()).safeParse(body).success) throw accepted.error("service_unreadable");
  const id = readId(body);
  return {
    request_id: readText(body, "request_id") || undefined,
    verificationId: id !== undefined && isVerificationId(id) ? id : undefined,
  };
}

/** Whatever is not exactly an approval is none: no truthy text, no empty body, no page of a proxy logs anybody in. */
function readConfirmation(accepted: Accepted): Confirmation {
  const answer = confirmationShape.safeParse(accepted.body).data;
  if (answer === undefined) throw accepted.error("service_unreadable");
  if (!answer.success) throw accepted.error(readKnownCode(accepted.body) ?? "verify.invalid_code");
  return { success: true, message: answer.message };
}
