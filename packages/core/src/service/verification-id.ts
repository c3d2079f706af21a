import { readText } from "./read-text.ts";
import { invalidRequest } from "./wire.ts";

/** The specification does not show which field holds the id, so these are tried in order. */
const idPaths = ["verification_id", "data.verification_id", "verification.id", "id", "request_id"];

/** Finds the id of a verification in the answer to its creation; `undefined` if there is no usable one. */
export function readVerificationId(body: unknown): string | undefined {
  return idPaths.map((path) => readText(body, path)).find(isVerificationId);
}

/** Tells whether a text is safe as one segment of a path. Any other text could reach another endpoint. */
export function isVerificationId(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text) && text !== "." && !/\.\.|[/\\]/.test(text);
}

/**
 * Returns the path segment of an id.
 *
 * @throws DoorcodeError `service_invalid_request` for an id that is not a plain token.
 */
export function verificationSegment(verificationId: string): string {
  if (!isVerificationId(verificationId)) throw invalidRequest("verificationId", "expected the id of a verification");
  return encodeURIComponent(verificationId);
}
