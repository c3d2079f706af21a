import { hash, timingSafeEqual } from "node:crypto";
import { sealData, unsealData } from "iron-session";
import { z } from "zod";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";

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
  /** Writes a proof. */
  seal(number: VerifiedNumber, binding: ProofBinding): Promise<string>;
  /**
   * Reads a proof.
   *
   * @throws {@link DoorcodeError} `proof_invalid`, `proof_foreign` or `proof_expired`
   */
  open(proof: unknown, binding: ProofBinding): Promise<VerifiedNumber>;
}

/**
 * A proof has one spelling. Unsealing alone ignores what follows the `~`, and the last bits of the digest before it.
 */
const form = /^Fe26\.2\*[\w*-]+[AEIMQUYcgkosw048]~2$/;
/** Twice the length of a proof: a longer text is not read. */
const maxCharacters = 1000;

const proofShape = z.object({
  phone: z.string(),
  loginId: z.string(),
  verifiedAt: z.number(),
  expiresAt: z.number(),
  binding: z.string(),
});

/**
 * Creates the tools for proofs: the first password seals, and each of them opens.
 *
 * @param name - the app's name: another app may have the same password.
 */
export function createNumberProofs(passwords: readonly string[], clock: Clock, name: string): NumberProofs {
  const [newest = ""] = passwords;
  return {
    // Without a lifetime of the seal: the proof has its own instants, on the kit's clock.
    seal: (number, expected) =>
      sealData({ ...number, binding: digestOf(name, expected) }, { password: newest, ttl: 0 }),
    async open(proof, expected) {
      const read = await unseal(passwords, proof);
      if (!read) throw new DoorcodeError("proof_invalid");
      const { binding, ...number } = read;
      if (!isSameBinding(binding, digestOf(name, expected))) {
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

/** Reads what one of the passwords has sealed as a proof; `undefined` for any other value. */
async function unseal(passwords: readonly string[], proof: unknown): Promise<z.output<typeof proofShape> | undefined> {
  if (typeof proof !== "string" || proof.length > maxCharacters || !form.test(proof)) return undefined;
  for (const password of passwords) {
    const read = proofShape.safeParse(await unsealData(proof, { password, ttl: 0 }));
    if (read.success) return read.data;
  }
  return undefined;
}

/**
 * Returns what a proof is bound to. It is a digest, so that a proof has one length and an unbound one is bound to
 * "nothing".
 */
function digestOf(name: string, { audience, boundTo }: ProofBinding): string {
  return hash("sha256", JSON.stringify([name, audience, boundTo ?? null]), "base64url");
}

function isSameBinding(binding: string, expected: string): boolean {
  return binding.length === expected.length && timingSafeEqual(Buffer.from(binding), Buffer.from(expected));
}
