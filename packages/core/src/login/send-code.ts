import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { type Budget, giveBack } from "./limits.ts";
import type { LoginParts } from "./login.ts";
import { tracePhone } from "./phone-trace.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Sends a code whose budgets are reserved: every code that leaves, leaves here.
 *
 * A send that surely failed gives the number's budgets back. One whose outcome nobody knows does not, for the code may
 * be on its way; the `outcome` of what is thrown tells which.
 *
 * @returns the service's id of the verification, when its answer held one
 * @throws {@link DoorcodeError} `send_failed` when the service refused; `service_unavailable` or
 * `service_rate_limited` when it may work later
 */
export async function sendCode(
  login: LoginParts,
  { loginId, purpose, phone }: Transaction,
  budgets: readonly Budget[],
  send: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const trace = tracePhone(login.keys, phone);
  try {
    const verificationId = await send();
    login.publish({ type: "login.code_sent", loginId, purpose, ...trace });
    return verificationId;
  } catch (error) {
    login.publish({ type: "login.send_failed", loginId, error, ...trace });
    if (surelyFailed(error)) await giveBack(login.store, budgets);
    throw toCaller(error);
  }
}

/** Tells whether the code of a failed send surely did not leave. */
export function surelyFailed(error: unknown): boolean {
  return isDoorcodeError(error) && error.outcome === "refused";
}

/** What the service said is for the developer, who has it from `onEvent`; a browser learns whether to try again. */
function toCaller(error: unknown): unknown {
  if (!isDoorcodeError(error)) return error;
  const later = error.code === "service_unavailable" || error.code === "service_rate_limited";
  const outcome = error.outcome ?? "unknown";
  if (!later) return new DoorcodeError("send_failed", { outcome, cause: error });
  return new DoorcodeError(error.code, { outcome, retryAfterSeconds: error.retryAfterSeconds ?? 5, cause: error });
}
