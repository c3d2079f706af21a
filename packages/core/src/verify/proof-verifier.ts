import { z } from "zod";
import { type Clock, systemClock } from "../util/clock.ts";
import { appPassword, derivePasswords, readSecrets, type Secret, type SecretService } from "../util/keys.ts";
import { clockOption, nameOption, parseOptions, secretServiceOption, strictOptions } from "../util/parse-options.ts";
import { createNumberProofs, type VerifiedNumber } from "./number-proof.ts";

/** Options of {@link createProofVerifier}. */
export interface ProofVerifierOptions {
  /** The password of the kit that makes the proofs: its `session.password`, or `login.password` if it has one. */
  readonly password: Secret;
  /** The `proof.audience` of the mount that makes the proofs. */
  readonly audience: string;
  /** The `name` of the kit that makes the proofs. Default: `doorcode`. */
  readonly name?: string;
  /**
   * The service of the kit that makes the proofs. Only the password that the sandbox publishes needs it, on this
   * machine.
   */
  readonly service?: SecretService;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What a proof is expected to be. */
export interface ExpectedProof {
  /**
   * The text that the mount's `proof.boundTo` has returned for this visitor. Leave it out for a mount without that
   * option.
   */
  readonly boundTo?: string | undefined;
}

/**
 * Reads a proof that a browser has sent.
 *
 * @throws DoorcodeError `proof_expired` when its time is over; `proof_foreign` when it is for another app or audience,
 * or bound to something else; `proof_invalid` for anything that this password has not sealed
 * @throws TypeError for a wrong second argument
 */
export type VerifyProof = (proof: unknown, expected?: ExpectedProof) => Promise<VerifiedNumber>;

const expectedAudience =
  "expected up to 32 small letters, digits and _, which say who accepts the proofs, such as checkout";

/**
 * The shape of the option `audience`. It has no -, so that the cookies of no two mounts have one name.
 *
 * @internal
 */
export const audienceOption: z.ZodType<string, string> = z
  .string(expectedAudience)
  .regex(/^[a-z][a-z0-9_]{0,31}$/, expectedAudience);

const shape = strictOptions({
  password: z.unknown().optional(),
  audience: audienceOption,
  name: nameOption,
  service: secretServiceOption,
  clock: clockOption.default(systemClock),
});

const expectedShape = strictOptions(
  { boundTo: z.string("expected a text; leave it out for a mount without proof.boundTo").optional() },
  '{ boundTo: "cart 1" }; leave it out for a mount without proof.boundTo',
);

/**
 * Creates the function that reads the proofs of a mount with the purpose `verify`. It asks no store and no network, so
 * it works in any process of the app.
 *
 * A proof can be shown again until it expires. To let it count once, store its `loginId` with a unique index.
 *
 * @throws TypeError for a missing or wrong password, for the sandbox's without a `service` on this machine, and for a
 * wrong option.
 * @example
 * import { createProofVerifier } from "@doorcode/core";
 * const verifyProof = createProofVerifier({
 *   password: process.env.SESSION_PASSWORD,
 *   audience: "checkout",
 *   service: { baseUrl: process.env.SERVICE_URL },
 * });
 * export async function orderFrom(form: FormData): Promise<{ phone: string; orderId: string }> {
 *   const { phone, loginId } = await verifyProof(form.get("proof"));
 *   return { phone, orderId: loginId };
 * }
 */
export function createProofVerifier(options: ProofVerifierOptions): VerifyProof {
  const { clock, name, audience, service } = parseOptions("createProofVerifier", shape, options);
  const passwords = readSecrets("createProofVerifier", "password", appPassword, options.password, service?.baseUrl);
  const proofs = createNumberProofs(derivePasswords(passwords, "number proof"), clock, name);
  return async (proof, expected = {}) => {
    const { boundTo } = parseOptions("verifyProof, second argument", expectedShape, expected);
    return proofs.open(proof, { audience, boundTo });
  };
}
