import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { maskPhone } from "../phone-number.ts";
import type { Reservation } from "./limits.ts";
import type { LoginParts } from "./login.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Sends a code whose budgets are reserved: every code that leaves, leaves here.
 *
 * A send that surely failed gives the number's budgets back. One whose outcome nobody knows does not, for the code may
 * be on its way.
 *
 * @returns the service's id of the verification, when its answer held one
 * @throws {@link DoorcodeError} `send_failed` when the service refused; `service_unavailable` or
 * `service_rate_limited` when it may work later
 */
export async function sendCode(
  login: LoginParts,
  transaction: Transaction,
  reservation: Reservation,
  send: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { loginId, purpose } = transaction;
  const trace = tracePhone(login, transaction.phone);
  try {
    const verificationId = await send();
    login.publish({ type: "login.code_sent", loginId, purpose, ...trace });
    return verificationId;
  } catch (error) {
    login.publish({ type: "login.send_failed", loginId, error, ...trace });
    if (isDoorcodeError(error) && error.outcome === "refused") await reservation.release();
    throw toCaller(error);
  }
}

/** The number as events may show it. */
export function tracePhone({ keys }: LoginParts, phone: string): { phone: string; phoneFingerprint: string } {
  return { phone: maskPhone(phone), phoneFingerprint: keys.fingerprint(phone) };
}

/** What the service said is for the developer, who has it from `onEvent`; a browser learns whether to try again. */
function toCaller(error: unknown): unknown {
  if (!isDoorcodeError(error)) return error;
  if (error.code !== "service_unavailable" && error.code !== "service_rate_limited")
    return new DoorcodeError("send_failed");
  return new DoorcodeError(error.code, { retryAfterSeconds: error.retryAfterSeconds ?? 5 });
}
