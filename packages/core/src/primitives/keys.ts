import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";

/** The keys of an app for codes and phone numbers, derived from its password for nothing else. */
export interface CodeKeys {
  /** Digests a code for rest, under the newest key. */
  digest(parts: readonly string[]): string;
  /** Tells in constant time whether the parts have this digest, under any key still in use. */
  matches(parts: readonly string[], digest: string): boolean;
  /** A short keyed name for a phone number: ties things together, tells nobody the number. */
  fingerprint(e164: string): string;
}

/** The passwords of an app: the current one first, then those still accepted. */
export type Passwords = readonly [string, ...string[]];

/** Derives what seals session cookies, one for each password. No key of one use can stand in for another's. */
export function deriveSessionPasswords(passwords: Passwords): readonly string[] {
  return passwords.map((password) => derive(password, "session").toString("base64url"));
}

/**
 * Derives the keys for codes and phone numbers, by HKDF-SHA-256 with a label per use.
 *
 * Fingerprints come from the current password alone: changing it starts the counters of all numbers anew, once.
 */
export function deriveCodeKeys(passwords: Passwords): CodeKeys {
  const codeKeys = passwords.map((password) => createSecretKey(derive(password, "code")));
  const [newest] = codeKeys as [KeyObject, ...KeyObject[]];
  const fingerprintKey = createSecretKey(derive(passwords[0], "phone fingerprint"));

  return {
    digest: (parts) => hmac(newest, parts).toString("base64url"),
    matches(parts, digest) {
      const expected = Buffer.from(digest, "base64url");
      let found = false;
      // Every key is tried, so that the time tells nothing about which one it was.
      for (const key of codeKeys) {
        const actual = hmac(key, parts);
        if (actual.length === expected.length && timingSafeEqual(actual, expected)) found = true;
      }
      return found;
    },
    fingerprint: (e164) => hmac(fingerprintKey, [e164]).toString("base64url").slice(0, 22),
  };
}

function derive(password: string, label: string): Buffer {
  return Buffer.from(hkdfSync("sha256", password, "", `doorcode ${label}`, 32));
}

/** JSON keeps the parts apart: no two lists of parts have one encoding. */
function hmac(key: KeyObject, parts: readonly string[]): Buffer {
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
}
