import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import { sealData, unsealData } from "iron-session";
import type { z } from "zod";

/** The keys of an app for codes and phone numbers. They are derived from its passwords and have no other use. */
export interface CodeKeys {
  /** The public name of the newest key. It reveals nothing about the key. */
  readonly newestName: string;
  /** Derives a code of so many digits with the key of this name; `undefined` if the key is no longer in use. */
  deriveCode(keyName: string, parts: readonly string[], length: number): string | undefined;
  /** Returns the digest under which a code is stored, with the newest key. */
  digest(parts: readonly string[]): string;
  /** Tells in constant time whether the parts have this digest under any key that is still in use. */
  matches(parts: readonly string[], digest: string): boolean;
  /** Returns a short keyed name of a phone number in E.164 or of an address, which does not reveal it. */
  fingerprint(text: string): string;
}

/** Short, since it stands in many keys of the store: 96 bits, so that no two of all phone numbers have the same one. */
const fingerprintBytes = 12;

/** The passwords of an app: the current one first, then the old ones that are still accepted. */
export type Passwords = readonly [string, ...string[]];

/**
 * Derives the passwords of one use, one from each password. A password of one use works for no other use, so a process that only reads
 * proofs needs theirs alone.
 */
export function derivePasswords(
  passwords: Passwords,
  use: "session" | "number proof" | "typed number",
): readonly string[] {
  return passwords.map((password) => derive(password, use).toString("base64url"));
}

/**
 * Derives the keys for codes and phone numbers, by HKDF-SHA-256 with a label for each use. Fingerprints use the current password only, so a
 * new password resets the counters of all numbers once.
 */
export function deriveCodeKeys(passwords: Passwords): CodeKeys {
  const codeKeys = passwords.map((password) => createSecretKey(derive(password, "code")));
  const [newest] = codeKeys as [KeyObject, ...KeyObject[]];
  const derivingKeys = new Map(
    passwords.map((password) => {
      const key = createSecretKey(derive(password, "derived code"));
      return [hmac(key, ["name"]).toString("base64url").slice(0, 8), key];
    }),
  );
  const [newestName = ""] = derivingKeys.keys();
  const fingerprintKey = createSecretKey(derive(passwords[0], "phone fingerprint"));

  return {
    newestName,
    deriveCode(keyName, parts, length) {
      const key = derivingKeys.get(keyName);
      // The first 64 bits are so many more than all codes that no code is likelier than another by a billionth.
      return key && String(hmac(key, parts).readBigUInt64BE() % 10n ** BigInt(length)).padStart(length, "0");
    },
    digest: (parts) => hmac(newest, parts).toString("base64url"),
    matches(parts, digest) {
      const expected = Buffer.from(digest, "base64url");
      let found = false;
      // Every key is tried, so that the time does not reveal which one matched.
      for (const key of codeKeys) {
        const actual = hmac(key, parts);
        if (actual.length === expected.length && timingSafeEqual(actual, expected)) found = true;
      }
      return found;
    },
    fingerprint: (text) => hmac(fingerprintKey, [text]).toString("base64url", 0, fingerprintBytes),
  };
}

function derive(password: string, label: string): Buffer {
  return Buffer.from(hkdfSync("sha256", password, "", `doorcode ${label}`, 32));
}

/** Digests a list of parts as JSON, in which no two lists have the same encoding. */
function hmac(key: KeyObject, parts: readonly string[]): Buffer {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
}

/** Tells in constant time whether two codes or digests, of ASCII only, are the same. */
export function isSameText(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** The form of the texts that {@link newRandomText} creates. */
export const randomTextForm: RegExp = /^[\w-]{22}$/;

/** Creates a random text of 128 bits: the id of a session, a transaction or a device, a generation, or the seed of a login's codes. */
export function newRandomText(): string {
  return randomBytes(16).toString("base64url");
}

/** Returns the digest of an id. Who reads the store finds digests only: no login opens, and no device is known. */
export function digestOfId(id: string): string {
  return hash("sha256", id, "base64url").slice(0, 22);
}

/** Seals content under the first password. The seal never ends by itself: that would be by the machine's clock. */
export function seal(passwords: readonly string[], content: object): Promise<string> {
  const [newest = ""] = passwords;
  return sealData(content, { password: newest, ttl: 0 });
}

/** No seal of the kit is longer, and no longer text is read. */
const maxSealCharacters = 4096;

/**
 * Reads what one of the passwords has sealed in a shape; `undefined` for any other text. iron-session finds a password by a number in the
 * seal, which a rotation would change, so each password is tried.
 */
export async function unseal<Content>(
  passwords: readonly string[],
  text: string,
  shape: z.ZodType<Content>,
): Promise<Content | undefined> {
  if (text.length > maxSealCharacters) return undefined;
  for (const password of passwords) {
    // A seal that cannot be opened has the content `{}`.
    const read = shape.safeParse(await unsealData(text, { password }));
    if (read.success) return read.data;
  }
  return undefined;
}
