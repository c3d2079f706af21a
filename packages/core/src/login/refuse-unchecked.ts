import { giveBack } from "../limits/budgets.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { returnBudget } from "./attempt-budgets.ts";
import type { Counted } from "./count-attempt.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { OpenTransaction } from "./transaction-store.ts";

/**
 * Returns the error for a code that its owner could not check, and gives back what was counted for a wrong one: such an answer tells an
 * attacker nothing, and an outage must close neither numbers nor addresses.
 *
 * The attempt is given back only if surely no code was compared. Otherwise it stays used, and the same code may be right.
 *
 * @param error - the error of the check. One that is no {@link DoorcodeError} is a mistake of the app, and gives nothing back.
 */
export async function refuseUnchecked(
  { store }: LoginDeps,
  open: OpenTransaction,
  { attempt, pauses, failures, failuresOfAddress }: Counted,
  error: unknown,
): Promise<unknown> {
  if (!isDoorcodeError(error)) return error;
  const [returned] = comparedNothing(error) ? await store.increment([returnBudget(open.key)]).catch(() => []) : [];
  const unused = returned?.granted ? attempt : [];
  // If the store fails here, the counters expire by themselves.
  await Promise.allSettled([giveBack(store, [...unused, ...pauses, ...failures, ...failuresOfAddress])]);
  const attemptsLeft = open.attemptsLeft + unused.length;
  return new DoorcodeError(error.code === "service_rate_limited" ? error.code : "service_unavailable", {
    message: unused.length > 0 ? unusedAttempt : usedAttempt(attemptsLeft),
    retryAfterSeconds: error.retryAfterSeconds ?? 2,
    members: { attemptsLeft, checkInSeconds: 0 },
    cause: error,
  });
}

/** Tells whether the service surely compared no code: it refused the app itself, or the request never left. */
function comparedNothing({ code, outcome }: DoorcodeError): boolean {
  if (code === "service_unavailable") return outcome === "refused";
  return code === "service_unauthorized" || code === "service_rate_limited";
}

const unusedAttempt = "The code could not be checked. Enter it again in a moment. No attempt was used.";

function usedAttempt(attemptsLeft: number): string {
  if (attemptsLeft === 0) return "The code could not be checked, and this was the last attempt. Start the login again.";
  const left = `${attemptsLeft} ${attemptsLeft === 1 ? "attempt" : "attempts"}`;
  return `The code could not be checked, and may be right. Enter it again in a moment. You have ${left} left.`;
}
