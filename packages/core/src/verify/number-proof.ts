import { hash } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { derivePasswords, isSameText, seal, unseal } from "../util/keys.ts";
import { clockOption, nameOption, parseOptions, secretServiceOption, strictOptions } from "../util/parse-options.ts";
import { appPassword, readSecrets, type Secret, type SecretService } from "../util/secrets.ts";

/*
 * A proof is a text by which the app's server learns that a number was proven, without a store and in any process. It
 * is sealed: forms, logs and scripts that see it learn no phone number, and only a holder of the password can make one.
 */

/** A number that somebody has proven without an account: what a proof says. Instants are Unix milliseconds. */
export interface VerifiedNumber {
  /** The number in E.164. */
  readonly phone: string;
  /** The id of the login. It is the same in every copy of the proof: accept it once, if the proof is to count once. */
  readonly loginId: string;
  /** When the code was confirmed. */
  readonly verifiedAt: number;
  /** When the proof ends. */
  readonly expiresAt: number;
}

/** What a proof is bound to, beside the name of the app. */
export interface ProofBinding {
  /** The part of the app that accepts the proof. */
  readonly audience: string;
  /** A text of the app, such as the id of a cart; `undefined` for none. */
  readonly boundTo: string | undefined;
}

/** The tools for proofs of one app. */
export interface NumberProofs {
  seal(number: VerifiedNumber, binding: ProofBinding): Promise<string>;
  /** Reads a proof. @throws {@link DoorcodeError} `proof_invalid`, `proof_foreign` or `proof_expired` */
  open(proof: unknown, binding: ProofBinding): Promise<VerifiedNumber>;
}

/** A proof has one spelling. Unsealing alone ignores what follows the `~`, and the last bits of the digest before it. */
const form = /^Fe26\.2\*[\w*-]+[AEIMQUYcgkosw048]~2$/;

const proofShape = z.object({
  phone: z.string(),
  loginId: z.string(),
  verifiedAt: z.number(),
  expiresAt: z.number(),
  binding: z.string(),
});

/** Creates the tools for proofs: the first password seals, each opens. Another app (`name`) may have the same one. */
export function createNumberProofs(passwords: readonly string[], clock: Clock, name: string): NumberProofs {
  return {
    seal: (number, expected) => seal(passwords, { ...number, binding: digestOf(name, expected) }),
    async open(proof, expected) {
      const isProof = typeof proof === "string" && form.test(proof);
      const read = isProof ? await unseal(passwords, proof, proofShape) : undefined;
      if (!read) throw new DoorcodeError("proof_invalid");
      const { binding, ...number } = read;
      if (!isSameText(binding, digestOf(name, expected))) {
        throw new DoorcodeError("proof_foreign", { message: foreignProof });
      }
      if (clock.now() >= number.expiresAt) throw new DoorcodeError("proof_expired");
      return number;
    },
  };
}

const foreignProof =
  "The proof is for another app, another audience or another boundTo. name is that of createDoorcode, audience is proof.audience of the " +
  "mount, and boundTo is what its proof.boundTo has returned.";

/** A digest, so that a proof has one length, and an unbound one is bound to "nothing". */
function digestOf(name: string, { audience, boundTo }: ProofBinding): string {
  return hash("sha256", JSON.stringify([name, audience, boundTo ?? null]), "base64url");
}

/** Options of {@link createProofVerifier}. */
export interface ProofVerifierOptions {
  /** The password of the kit that makes the proofs: its `session.password`, or `login.password` if it has one. */
  readonly password: Secret;
  /** The `proof.audience` of the mount that makes the proofs. */
  readonly audience: string;
  /** The `name` of the kit that makes the proofs. Default: `doorcode`. */
  readonly name?: string;
  /** The service of the kit that makes the proofs. Only the password that the sandbox publishes needs it. */
  readonly service?: SecretService;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What a proof is expected to be. */
export interface ExpectedProof {
  /** The text that the mount's `proof.boundTo` has returned for this visitor. Leave it out for a mount without it. */
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

/** The shape of the option `audience`. It has no -, so that the cookies of no two mounts have one name. @internal */
export const audienceOption: z.ZodType<string, string> = z
  .string(expectedAudience)
  .regex(/^[a-z][a-z0-9_]{0,31}$/, expectedAudience);

const optionsShape = strictOptions({
  password: z.unknown().optional(),
  audience: audienceOption,
  name: nameOption,
  service: secretServiceOption,
  clock: clockOption,
});

const expectedShape = strictOptions(
  { boundTo: z.string("expected a text; leave it out for a mount without proof.boundTo").optional() },
  '{ boundTo: "cart 1" }; leave it out for a mount without proof.boundTo',
);

/**
 * Creates the function that reads the proofs of a mount with the purpose `verify`. It asks no store and no network, so it works in any
 * process of the app.
 *
 * A proof can be shown again until it expires. To let it count once, store its `loginId` with a unique index.
 *
 * @throws TypeError for a missing or wrong password, for the sandbox's without a `service` on this machine, and for a wrong option.
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
  const { clock, name, audience, service } = parseOptions("createProofVerifier", optionsShape, options);
  const passwords = readSecrets("createProofVerifier", "password", appPassword, options.password, service?.baseUrl);
  const proofs = createNumberProofs(derivePasswords(passwords, "number proof"), clock, name);
  return async (proof, expected = {}) => {
    const { boundTo } = parseOptions("verifyProof, second argument", expectedShape, expected);
    return proofs.open(proof, { audience, boundTo });
  };
}
