import { z } from "zod";
import { type Clock, systemClock } from "../primitives/clock.ts";
import { deriveProofKeys } from "../primitives/keys.ts";
import { clockOption, parseOptions, strictOptions } from "../primitives/parse-options.ts";
import { appPassword, readSecrets, type Secret } from "../primitives/secrets.ts";
import { createNumberProofs, type VerifiedNumber } from "./number-proof.ts";

/** Options of {@link createProofVerifier}. */
export interface ProofVerifierOptions {
  /** The password of the kit that makes the proofs: its `session.password`, or `login.password` if it has one. */
  readonly password: Secret;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What a proof is expected to be. */
export interface ExpectedProof {
  /** The text that the mount's `proof.boundTo` has returned for this visitor. Leave it out for a mount without that option. */
  readonly boundTo?: string | undefined;
}

/**
 * Reads a proof that a browser has sent.
 *
 * @throws DoorcodeError `proof_expired` when its time is over; `proof_foreign` when it is bound to something else; `proof_invalid`
 * for anything that this app has not sealed
 */
export type VerifyProof = (proof: unknown, expected?: ExpectedProof) => VerifiedNumber;

const shape = strictOptions({ password: z.unknown().optional(), clock: clockOption.default(systemClock) });

/**
 * Creates the function that reads the proofs of a mount with the purpose `verify`. It asks no store and no network, so it works in any
 * process of the app.
 *
 * A proof can be shown again until it expires. To let it count once, store its `loginId` with a unique index.
 *
 * @throws TypeError for a missing or wrong password, for the sandbox's in production, and for a wrong option.
 * @example
 * import { createProofVerifier } from "@doorcode/core";
 * const verifyProof = createProofVerifier({ password: process.env.SESSION_PASSWORD });
 * export function orderFrom(form: FormData): { phone: string; orderId: string } {
 *   const { phone, loginId } = verifyProof(form.get("proof"));
 *   return { phone, orderId: loginId };
 * }
 */
export function createProofVerifier(options: ProofVerifierOptions): VerifyProof {
  const { clock } = parseOptions("createProofVerifier", shape, options);
  // The kit that makes the proofs takes the sandbox's password with a service of this machine only.
  const accepts = { published: process.env.NODE_ENV !== "production" };
  const passwords = readSecrets("createProofVerifier", "password", appPassword, options.password, accepts);
  const proofs = createNumberProofs(deriveProofKeys(passwords), clock);
  return (proof, { boundTo } = {}) => proofs.open(proof, boundTo);
}
