import type { Awaitable } from "./awaitable.ts";
import { isDoorcodeError } from "./errors.ts";

/**
 * Calls a function of the app.
 *
 * A `DoorcodeError` that it throws comes from some other call of the kit, such as `doorcode.messages.send`, and must not
 * become the answer to this request: it becomes the cause of a plain error. Any other error passes as it is.
 *
 * @param name - the option, for the error's message.
 */
export async function callApp<Result>(name: string, call: () => Awaitable<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isDoorcodeError(error)) throw error;
    throw new Error(`${name} failed with the code ${error.code}.`, { cause: error });
  }
}
