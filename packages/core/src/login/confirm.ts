import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { type Attempt, type ConfirmRequest, reserveAttempt } from "./attempt.ts";
import { type CodeVerdict, digestParts } from "./code-strategy.ts";
import { type ConfirmedLogin, finish } from "./finish.ts";
import type { LoginParts } from "./login.ts";
import { tracePhone } from "./phone-trace.ts";
import type { HeldTransaction } from "./transaction.ts";

/**
 * Confirms a login: reserves an attempt, has the code judged, and finishes at most once.
 *
 * Whatever runs in parallel, a transaction logs in once. A login whose code was right but which could not be finished
 * is finished by the same code, without asking the service again.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `too_many_failures`, `session_changed`,
 * `code_rejected`, `transaction_busy`, `login_unfinished`, `login_refused`, `login_superseded`, `session_too_large`,
 * `service_unavailable`, `service_rate_limited` or `store_unavailable`
 * @throws TypeError when a callback of the app answers no user's id
 * @see "Confirmation request and response" of the specification
 */
export async function confirm(login: LoginParts, request: ConfirmRequest): Promise<ConfirmedLogin> {
  const attempt = await reserveAttempt(login, request);
  const verdict = await judge(login, attempt, request.code);
  switch (verdict) {
    case "right":
      return finish(login, request, await takeRightCode(login, attempt, request.code));
    case "wrong":
      throw reject(login, attempt);
    case "ended":
      await attempt.exhaust();
      publishEnded(login, attempt);
      throw new DoorcodeError("no_transaction");
    case "exhausted":
      await attempt.exhaust();
      throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  }
}

/** Asks whoever owns the code, unless it was found right before. */
async function judge(login: LoginParts, attempt: Attempt, code: string): Promise<CodeVerdict> {
  const { transaction, subject, approved } = attempt;
  const parts = digestParts(subject, code);
  if (approved !== undefined) return login.keys.matches(parts, approved) ? "right" : "wrong";

  const [checked] = await Promise.allSettled([login.codes.check(code, subject, transaction)]);
  if (checked.status === "fulfilled" && checked.value === "right") return "right";
  if (login.codes.answersOnce && (await wasApprovedMeanwhile(login, attempt, parts))) return "right";
  if (checked.status === "rejected") throw sayTryAgain(login, attempt, checked.reason);
  return checked.value;
}

/** A double click: the first request used the code up, and whatever the second is answered for it says nothing. */
async function wasApprovedMeanwhile(
  { store, transactions, keys }: LoginParts,
  attempt: Attempt,
  parts: readonly string[],
): Promise<boolean> {
  const [approved] = await store.get([transactions.approvalKeyOf(attempt.key)]);
  return approved !== undefined && keys.matches(parts, approved);
}

/**
 * Takes the right to finish the login, and meanwhile remembers that the code was right and takes back what it counted
 * for: a right code is neither an attempt nor a failure, and proves the number.
 *
 * Remembering does not wait for that right, which somebody else may hold: the service approves once. Nor is the login
 * finished before it is remembered: whatever fails from then on, the same code finishes it.
 */
async function takeRightCode(
  { codes, keys, transactions }: LoginParts,
  attempt: Attempt,
  code: string,
): Promise<HeldTransaction> {
  const digest = keys.digest(digestParts(attempt.subject, code));
  const [remembered, held] = await Promise.allSettled([
    Promise.all([codes.answersOnce && transactions.approve(attempt.key, digest), attempt.forgive()]),
    transactions.hold(attempt.key, attempt.transaction),
  ]);
  if (remembered.status === "rejected") {
    // Left as it was found. Where the store fails at this, too, it is free when the lease has run out.
    if (held.status === "fulfilled") await Promise.allSettled([held.value.release(held.value.transaction)]);
    throw remembered.reason;
  }
  if (held.status === "rejected") throw held.reason;
  return held.value;
}

function reject(login: LoginParts, { transaction, attemptsLeft }: Attempt): DoorcodeError {
  const { loginId, phone } = transaction;
  login.publish({ type: "login.code_rejected", loginId, attemptsLeft, ...tracePhone(login.keys, phone) });
  return new DoorcodeError("code_rejected", { members: { attemptsLeft } });
}

/** Expired is everyday; a service that forgot its verifications is not, and looks the same to a browser. */
function publishEnded(login: LoginParts, { transaction: { loginId, phone } }: Attempt): void {
  login.publish({ type: "login.code_ended", loginId, ...tracePhone(login.keys, phone) });
}

/** A service that could not judge said nothing about the code: the attempt is used, the same code may be right. */
function sayTryAgain(login: LoginParts, { transaction }: Attempt, error: unknown): unknown {
  const { loginId, phone } = transaction;
  login.publish({ type: "login.check_failed", loginId, error, ...tracePhone(login.keys, phone) });
  if (!isDoorcodeError(error)) return error;
  const code = error.code === "service_rate_limited" ? error.code : "service_unavailable";
  return new DoorcodeError(code, { retryAfterSeconds: error.retryAfterSeconds ?? 2, cause: error });
}
