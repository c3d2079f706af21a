import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";

/** The keys of one app, each derived from its password for a single use, so that none can stand in for another. */
export interface Keys {
  /** Seal the session cookie; the first seals, all unseal. */
  readonly sessionPasswords: readonly string[];
  /** Digests a code for rest, under the newest key. */
  digest(parts: readonly string[]): string;
  /** Tells in constant time whether the parts have this digest, under any key still in use. */
  matches(parts: readonly string[], digest: string): boolean;
  /** A short keyed name for a phone number: ties things together, tells nobody the number. */
  fingerprint(e164: string): string;
}

/**
 * Derives the keys by HKDF-SHA-256 with a label per use.
 *
 * @param passwords - the current one first, then those still accepted; each at least 32 characters.
 */
export function deriveKeys(passwords: readonly [string, ...string[]]): Keys {
  const codeKeys = passwords.map((password) => createSecretKey(derive(password, "code")));
  const [newest] = codeKeys as [KeyObject, ...KeyObject[]];
  const fingerprintKey = createSecretKey(derive(passwords[0], "phone fingerprint"));

  return {
    sessionPasswords: passwords.map((password) => derive(password, "session").toString("base64url")),
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
