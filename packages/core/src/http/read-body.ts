import { type Clock, scheduleAfterTurn } from "../primitives/clock.ts";
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
export function readBodyInTime(request: HttpRequest, limitBytes: number, clock: Clock): Promise<Body> {
  return new Promise((resolve, reject) => {
    let stopReading: ((error: Error) => void) | undefined;
    const cancel = scheduleAfterTurn(clock, limitSeconds * 1000, () => {
      const error = new DoorcodeError("body_too_slow");
      reject(error);
      stopReading?.(error);
    });
    const whenOver = (stop: (error: Error) => void) => {
      stopReading = stop;
    };
    request.readBody(limitBytes, { whenOver }).then(
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
