import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  pbkdf2Sync,
  timingSafeEqual,
} from "node:crypto";
import { randomText } from "../util/random-text.ts";

/*
 * Seals in the format of iron-session, `Fe26.2`: AES-256-CBC, and HMAC-SHA-256 over all of it. Each has a key of its own, derived from
 * the password and a salt of the seal. iron-session uses Web Crypto, whose every step is a job for another thread: a seal takes 240
 * microseconds of CPU there, and 20 here.
 */

const cipher = "aes-256-cbc";
const keyBytes = 32;
const saltBytes = 32;
const ivBytes = 16;

/** `Fe26.2*1*salt*iv*encrypted**salt*digest~2`: of password 1, without an expiry, which the store knows. */
const sealForm = /^(Fe26\.2\*1\*([0-9a-f]{64})\*([\w-]{22})\*([\w-]+)\*)\*([0-9a-f]{64})\*([\w-]{43})~2$/;

/**
 * Creates a function that seals texts under a password of at least 32 random characters. iron-session opens them.
 *
 * Its keys are derived once: seals of one key are as safe as those of many, since each has an IV of its own, and deriving keys took half
 * of a seal.
 */
export function createTextSealer(password: string): (text: string) => string {
  const [salt, digestSalt] = [randomText(saltBytes, "hex"), randomText(saltBytes, "hex")];
  const [encryptionKey, digestKey] = [keyOf(password, salt), keyOf(password, digestSalt)];
  return (text) => {
    const iv = randomText(ivBytes, "base64url");
    const encryption = createCipheriv(cipher, encryptionKey, Buffer.from(iv, "base64url"));
    const encrypted = Buffer.concat([encryption.update(text, "utf8"), encryption.final()]);
    const sealed = `Fe26.2*1*${salt}*${iv}*${encrypted.toString("base64url")}*`;
    return `${sealed}*${digestSalt}*${digestOf(digestKey, sealed)}~2`;
  };
}

/**
 * Returns the text of a seal; `undefined` for a text that this password has not sealed, or that is spelled in another way. Endless
 * spellings of one cookie would flush the cache.
 */
export function openSeal(password: string, seal: string): string | undefined {
  const [, sealed, salt, iv, encrypted, digestSalt, digest] = sealForm.exec(seal) ?? [];
  if (!sealed || !salt || !iv || !encrypted || !digestSalt || !digest) return undefined;
  const right = digestOf(keyOf(password, digestSalt), sealed);
  if (!timingSafeEqual(Buffer.from(right), Buffer.from(digest))) return undefined;
  const decryption = createDecipheriv(cipher, keyOf(password, salt), Buffer.from(iv, "base64url"));
  try {
    const text = decryption.update(Buffer.from(encrypted, "base64url"));
    return Buffer.concat([text, decryption.final()]).toString("utf8");
  } catch {
    // Only a password that has leaked seals what cannot be decrypted.
    return undefined;
  }
}

/**
 * Derives a key as iron-session does. One iteration is enough for a password that was itself derived, and so is random. A key costs less
 * than its bytes: Node 24 needs twelve microseconds to see that bytes are no key.
 */
function keyOf(password: string, salt: string): KeyObject {
  return createSecretKey(pbkdf2Sync(password, salt, 1, keyBytes, "sha1"));
}

function digestOf(key: KeyObject, sealed: string): string {
  return createHmac("sha256", key).update(sealed).digest("base64url");
}
