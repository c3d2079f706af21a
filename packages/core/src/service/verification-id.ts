import { readText } from "./read-text.ts";
import { invalidRequest } from "./wire.ts";

/** The specification does not show where a creation's answer holds the id, so these are looked at in turn. */
const places = ["verification_id", "data.verification_id", "verification.id", "id", "request_id"];

/** Finds the id of a verification in the answer to its creation; `undefined` when there is none that can be used. */
export function readVerificationId(body: unknown): string | undefined {
  return places.map((place) => readText(body, place)).find(isVerificationId);
}

/** Tells whether the text may stand as one segment of a path: anything else could reach another endpoint. */
export function isVerificationId(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text) && text !== "." && !/\.\.|[/\\]/.test(text);
}

/**
 * Makes the path segment of an id.
 *
 * @throws DoorcodeError `service_invalid_request` for an id that is no plain token.
 */
export function verificationSegment(verificationId: string): string {
  if (!isVerificationId(verificationId)) throw invalidRequest("verificationId", "expected an id of the service");
  return encodeURIComponent(verificationId);
}
