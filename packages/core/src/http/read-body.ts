import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { Body, HttpRequest } from "./exchange.ts";

/** The service gives up on a delivery after five seconds, and a page sends a few hundred bytes. */
const limitSeconds = 5;

/**
 * Reads the body of a request, for at most five seconds: a client that sends a byte now and then must not hold memory and a
 * connection. The caller verifies or parses the bytes before it waits for anything else: they are not counted any more.
 *
 * @throws DoorcodeError `body_too_slow`, and what {@link HttpRequest.readBody} throws
 */
export function readBodyInTime(request: HttpRequest, limitBytes: number, clock: Clock): Promise<Body> {
  return new Promise((resolve, reject) => {
    let tooSlow: Error | undefined;
    let stopReading: ((error: Error) => void) | undefined;
    const whenOver = (stop: (error: Error) => void) => {
      stopReading = stop;
      // An adapter may have waited for something else before it reads.
      if (tooSlow) stop(tooSlow);
    };
    // Before the time is taken: what throws here leaves no timer, as a member of the host's request that is a getter.
    const reading = request.readBody(limitBytes, { whenOver });
    const cancel = clock.schedule(limitSeconds * 1000, () => {
      tooSlow = new DoorcodeError("body_too_slow");
      reject(tooSlow);
      stopReading?.(tooSlow);
    });
    reading.then(
      (body) => {
        cancel();
        resolve(body);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
