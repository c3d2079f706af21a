import {
  createCipheriv,
  createDecipheriv,
  createHash,
  type DecipherGCM,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { z } from "zod";
import { readRecord } from "../store/record.ts";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";

/*
 * A proof is a text by which the app's server learns that a number was proven, without a store and in any process. It is
 * encrypted and authenticated in one (AES-256-GCM): forms, logs and scripts that see it learn no phone number, and only a holder
 * of the password can make one.
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
  seal(number: VerifiedNumber, binding: ProofBinding): string;
  /**
   * Reads a proof.
   *
   * @throws {@link DoorcodeError} `proof_invalid`, `proof_foreign` or `proof_expired`
   */
  open(proof: unknown, binding: ProofBinding): VerifiedNumber;
}

const version = "p1.";
const form = /^p1\.[\w-]+$/;
/** Twice the length of a proof: a longer text is not read. */
const maxCharacters = 600;
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

const sealedShape = z.object({
  phone: z.string(),
  loginId: z.string(),
  verifiedAt: z.number(),
  expiresAt: z.number(),
  binding: z.string(),
});

/**
 * Creates the tools for proofs: the first key seals, and each of them opens.
 *
 * @param name - the app's name: another app may have the same password.
 */
export function createNumberProofs(keys: readonly KeyObject[], clock: Clock, name: string): NumberProofs {
  const [newest] = keys as readonly [KeyObject];
  return {
    seal: (number, expected) => seal(newest, JSON.stringify({ ...number, binding: digestOf(name, expected) })),
    open(proof, expected) {
      const text = typeof proof === "string" ? unseal(keys, proof) : undefined;
      const read = readRecord(sealedShape, text);
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

/** Returns what a proof is bound to. It is a digest, so that a proof has one length and an unbound one is bound to "nothing". */
function digestOf(name: string, { audience, boundTo }: ProofBinding): string {
  return createHash("sha256")
    .update(JSON.stringify([name, audience, boundTo ?? null]))
    .digest("base64url");
}

function isSameBinding(binding: string, expected: string): boolean {
  return binding.length === expected.length && timingSafeEqual(Buffer.from(binding), Buffer.from(expected));
}

function seal(key: KeyObject, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(version));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return version + sealed.toString("base64url");
}

/** Returns the text of a proof; `undefined` for one that none of the keys sealed, or that is spelled in another way. */
function unseal(keys: readonly KeyObject[], proof: string): string | undefined {
  if (proof.length > maxCharacters || !form.test(proof)) return undefined;
  const encoded = proof.slice(version.length);
  const sealed = Buffer.from(encoded, "base64url");
  if (sealed.length <= nonceBytes + tagBytes || sealed.toString("base64url") !== encoded) return undefined;
  for (const key of keys) {
    const text = decrypt(key, sealed);
    if (text !== undefined) return text;
  }
  return undefined;
}

function decrypt(key: KeyObject, sealed: Buffer): string | undefined {
  const options = { authTagLength: tagBytes };
  const decipher: DecipherGCM = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), options);
  decipher.setAAD(Buffer.from(version)).setAuthTag(sealed.subarray(-tagBytes));
  const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
  try {
    // The tag is compared here, in constant time.
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
