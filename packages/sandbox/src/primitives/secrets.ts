import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Generates a random secret: for signing, or as a session password. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

/**
 * Tells whether a given text is the secret; undefined is not.
 *
 * Compares digests, so that the time depends neither on the position of the first difference nor on the length.
 */
export function isSameSecret(given: string | undefined, secret: string): boolean {
  return given !== undefined && timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", secret, "buffer"));
}
