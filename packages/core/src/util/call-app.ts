import { type Clock, inTime } from "./clock.ts";
import { isDoorcodeError } from "./errors.ts";

/** The return value of a callback that may be asynchronous. */
export type Awaitable<Value> = Promise<Value> | Value;

/**
 * Calls a function of the app. A `DoorcodeError` that it throws comes from another call of the kit, and must not become
 * the answer to this request: it becomes the cause of a plain error. Any other error passes as it is.
 */
export async function callApp<Result>(name: string, call: () => Awaitable<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    throw new Error(`${name} failed with the code ${error.code}.`, { cause: error });
  }
}

/** Calls a function of the app as {@link callApp} does, and gives it up in time: a request must not wait for ever. */
export function callAppInTime<Result>(
  name: string,
  clock: Clock,
  call: (signal: AbortSignal) => Awaitable<Result>,
  maxSeconds = 10,
): Promise<Result> {
  const createError = () => new Error(`${name} took longer than ${maxSeconds} seconds.`);
  return inTime(clock, maxSeconds, createError, (signal) => callApp(name, () => call(signal)));
}

/** A mistake in the app's callback. Sending the code again would not help. */
export class CallbackMistake extends TypeError {}
