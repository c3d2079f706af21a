import type { Clock } from "../primitives/clock.ts";
import { orAborted } from "../primitives/deadline.ts";
import { DoorcodeError } from "../primitives/errors.ts";
import type { Body, HttpRequest } from "./exchange.ts";

/** The service gives up on a delivery after five seconds, and a page sends a few hundred bytes. */
const limitSeconds = 5;

/**
 * Reads the body of a request, for at most five seconds: a client that sends a byte now and then must not hold memory and a
 * connection.
 *
 * @throws DoorcodeError `body_too_slow`, and what {@link HttpRequest.readBody} throws
 */
export async function readBodyInTime(request: HttpRequest, limitBytes: number, clock: Clock): Promise<Body> {
  const controller = new AbortController();
  const cancel = clock.schedule(limitSeconds * 1000, () => controller.abort(new DoorcodeError("body_too_slow")));
  try {
    return await orAborted(controller.signal, request.readBody(limitBytes, controller.signal));
  } finally {
    cancel();
  }
}
