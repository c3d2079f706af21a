import { type Awaitable, callAppInTime } from "../util/call-app.ts";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { summarizeError } from "../util/redact.ts";

/**
 * The answer of a sender that has surely not sent the code, so that it does not count for the number.
 *
 * - `refused`: the provider does not send to this number. The browser gets `send_failed`.
 * - `unavailable`: the provider may send it later. The browser gets `service_unavailable`.
 */
export type SendRefusal = "refused" | "unavailable";

/**
 * Calls a function of the app that asks a provider, and gives it up after 10 seconds.
 *
 * @param option - the option, for errors.
 * @throws {@link DoorcodeError} `service_unavailable` with the outcome "unknown" if it fails or is given up
 */
export async function callProvider<Answer>(
  option: string,
  clock: Clock,
  call: (signal: AbortSignal) => Awaitable<Answer>,
): Promise<Answer> {
  return callAppInTime(option, clock, call).catch((error: unknown) => {
    throw withoutCode(option, error);
  });
}

/**
 * Creates the error in place of one of the app, which may hold the code. The summary has no digits that could be one.
 */
function withoutCode(option: string, error: unknown): DoorcodeError {
  const { name, code, message } = summarizeError(error);
  const words = [name, code, message].filter((word) => word !== undefined && word !== "").join(" ");
  return new DoorcodeError("service_unavailable", { outcome: "unknown", message: `${option} failed: ${words}.` });
}

/**
 * Throws if a sender has answered that it sent nothing.
 *
 * @throws {@link DoorcodeError} `send_failed` or `service_unavailable`
 */
export function throwIfNotSent(name: string, answer: unknown): void {
  if (answer !== "refused" && answer !== "unavailable") return;
  const code = answer === "refused" ? "send_failed" : "service_unavailable";
  throw new DoorcodeError(code, { outcome: "refused", message: `${name} answered "${answer}".` });
}
