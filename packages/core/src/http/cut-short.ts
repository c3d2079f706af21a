import { DoorcodeError } from "../primitives/errors.ts";

/** The refusal of a body whose client hung up before it was complete. */
export function cutShort(): DoorcodeError {
  return new DoorcodeError("body_malformed", { message: "The connection closed before the body was complete." });
}
