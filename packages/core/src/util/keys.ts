import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";
import { isLoopbackOrigin } from "./origin.ts";

/** The keys of an app for codes and phone numbers. They are derived from its passwords and have no other use. */
export interface CodeKeys {
  /** The public name of the newest key. It reveals nothing about the key. */
  readonly newestName: string;
  /** Derives a code of so many digits with the key of this name; `undefined` if the key is no longer in use. */
  deriveCode(keyName: string, parts: readonly string[], length: number): string | undefined;
  /** Tells in constant time whether two codes, of digits only, are the same. */
  isSameCode(typed: string, right: string): boolean;
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
 * Derives the passwords that seal session cookies, proofs of numbers or typed numbers, one from each password. No key of one use works for
 * another use, so a process that only reads proofs needs no other one.
 */
export function derivePasswords(
  passwords: Passwords,
  use: "session" | "number proof" | "typed number",
): readonly string[] {
  return passwords.map((password) => derive(password, use).toString("base64url"));
}

/**
 * Derives the keys for codes and phone numbers, by HKDF-SHA-256 with a label for each use.
 *
 * Fingerprints use the current password only, so a new password resets the counters of all numbers once.
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
    isSameCode: (typed, right) =>
      typed.length === right.length && timingSafeEqual(Buffer.from(typed), Buffer.from(right)),
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

/** A secret from the environment. In a list the first is used and all are accepted, so that a secret can be rotated. */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The requirements of one kind of secret. */
export interface SecretKind {
  readonly minCharacters: number;
  /** The largest list. More are no rotation, and each one costs a try with every request. */
  readonly maxListed: number;
  /** The fix for a longer list, as the end of a sentence. */
  readonly listFix: string;
  /** The fix for a missing or wrong secret, as the end of a sentence. */
  readonly fix: string;
}

/** The application's signing secret. The service creates it, so its length only catches a placeholder. */
export const signingSecret: SecretKind = {
  minCharacters: 8,
  maxListed: 2,
  // Each secret of a list may report on every message, so an application could speak for another one.
  listFix: "keep the new one and the one before it, and give another application a separate kit, with its own name",
  fix: "set WEBHOOK_SECRET to the signing secret of the application, which the service's portal shows once",
};

/** The password of the app, from which the keys of its sessions, codes and proofs are derived. */
export const appPassword: SecretKind = {
  minCharacters: 32,
  maxListed: 4,
  listFix: "drop old ones",
  fix: "set SESSION_PASSWORD to at least 32 random characters, such as `openssl rand -base64 32` prints",
};

/** The URL of the service beside a secret. */
export interface SecretService {
  /** The URL of the service: `process.env.SERVICE_URL`. */
  readonly baseUrl: string | undefined;
}

/**
 * Tells what is wrong with a secret that the sandbox publishes, so that its `.env` can be committed; `undefined` for
 * any other secret, and beside a URL of this machine. `urlOption` has the URL; `fix` is how to get another secret.
 */
export function refusePublished(
  secret: string,
  url: string | undefined,
  urlOption: string,
  fix: string,
): string | undefined {
  if (!secret.startsWith("sandbox-") || isLoopbackOrigin(String(url))) return undefined;
  return `is the sandbox's, which is public. It works only beside a ${urlOption} on this machine: give that, or ${fix}`;
}

/**
 * Reads a secret of the app as a list: the current one first, then those still accepted.
 *
 * @throws TypeError when there is none, one is too short, there are too many, or one is published and may not be. The
 * message never holds the secret.
 */
export function readSecrets(
  place: string,
  option: string,
  { minCharacters, maxListed, listFix, fix }: SecretKind,
  secret: unknown,
  serviceUrl: string | undefined,
): [string, ...string[]] {
  const listed: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const [first, ...rest] = listed;
  // An old secret may be gone from the environment. A missing new one must stop the program.
  const others = rest.filter((entry) => entry !== undefined && entry !== "");
  if (first === undefined || first === "") throw new TypeError(`${place}: ${option} is missing: ${fix}.`);
  if (listed.length > maxListed) throw new TypeError(`${place}: ${option} lists more than ${maxListed}: ${listFix}.`);
  return [readEntry(first), ...others.map(readEntry)];

  function readEntry(entry: unknown): string {
    if (typeof entry !== "string" || entry.length < minCharacters) {
      throw new TypeError(`${place}: ${option} is not a text, or too short: ${fix}.`);
    }
    const refusal = refusePublished(entry, serviceUrl, "service.baseUrl", fix);
    if (refusal !== undefined) throw new TypeError(`${place}: ${option} ${refusal}.`);
    return entry;
  }
}
