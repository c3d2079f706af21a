import { bindingOf, type CodeCheckResult, type LoginCode } from "../codes/code-strategy.ts";
import { emptied, giveBack, givenBack } from "../limits/budgets.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError } from "../util/errors.ts";
import { revokeAttempts } from "./attempt-budgets.ts";
import { type Counted, countAttempt } from "./count-attempt.ts";
import { type FinishedLogin, type FinishRequest, finishLogin } from "./finish-login.ts";
import type { LoginDeps } from "./login-deps.ts";
import { refuseUnchecked } from "./refuse-unchecked.ts";
import { supersessionKey } from "./superseded-logins.ts";
import { outliveTransactionSeconds } from "./transaction.ts";
import {
  approvalKeyOf,
  type LeasedTransaction,
  leaseTransaction,
  type NamedTransaction,
  type OpenTransaction,
} from "./transaction-store.ts";

/** A code that a browser sends for the login it has under way. */
export interface ConfirmRequest extends NamedTransaction, FinishRequest {
  /** Digits only, of a length that the strategy allows. */
  readonly code: string;
}

/**
 * Confirms a login: counts an attempt, checks the code, and finishes the login at most once.
 *
 * Of any number of parallel requests one logs in. If the code was right and the login could not be finished, the same
 * code finishes it later, without asking the service again. The steps are numbered, in their order; `count-attempt.ts` has the first, `finish-login.ts` the last.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `code_expired`, `code_malformed`, `attempts_exhausted`, `check_cooldown`,
 * `too_many_failures`, `phone_closed`, `client_limit_reached`,
 * `session_changed`, `code_rejected`, `newer_code_sent`, `transaction_busy`, `login_unfinished`, `login_refused`, `login_superseded`, `session_too_large`,
 * `service_unavailable`, `service_rate_limited` or `store_unavailable`
 * @throws TypeError when a callback of the app returns something that is no user id
 * @see "Confirmation request and response" of the specification
 */
export async function confirm(deps: LoginDeps, request: ConfirmRequest): Promise<FinishedLogin> {
  const startedAt = deps.clock.now();
  const { open, counted } = await countAttempt(deps, request);
  const typed: TypedCode = { code: request.code, subject: { ...open.transaction, transactionKey: open.key } };
  const result = await checkCode(deps, open, counted, typed);
  if (result !== "right") throw await refuseCode(deps, open, counted, result);
  const leased = await leaseApproved(deps, open, counted, typed);
  const finished = await finishLogin(deps, request, leased);
  // Pages of the number's other logins wait.
  deps.changes.announce(supersessionKey(deps, leased.transaction));
  const durationSeconds = secondsSince(deps.clock, startedAt);
  const user = finished.account && { userId: finished.account.userId };
  deps.publishLogin(leased.transaction, { type: "login.completed", ...user, durationSeconds });
  return finished;
}

/** A typed code, and what it is bound to. */
interface TypedCode {
  readonly code: string;
  readonly subject: LoginCode;
}

/** Compares the code with one that was right before, else asks its owner. */
async function checkCode(
  deps: LoginDeps,
  open: OpenTransaction,
  counted: Counted,
  { code, subject }: TypedCode,
): Promise<CodeCheckResult> {
  const { store, keys, codes, clock, publishLogin } = deps;
  const { key, transaction, approvedDigest } = open;
  const parts = [...bindingOf(subject), code];
  // Step 5: the code was found right, and the login could not be finished. The service would not approve it again.
  if (approvedDigest !== undefined) return keys.matches(parts, approvedDigest) ? "right" : "wrong";
  // Step 6: the owner of the code checks it.
  const startedAt = clock.now();
  const [checked] = await Promise.allSettled([codes.check(code, subject)]);
  const durationSeconds = secondsSince(clock, startedAt);
  if (checked.status === "fulfilled") {
    publishLogin(transaction, { type: "login.code_checked", result: checked.value, durationSeconds });
  }
  if (checked.status === "fulfilled" && checked.value === "right") return "right";
  // Step 7: after a double click the other request has used the code up, so this one's answer says nothing.
  if (codes.answersOnce) {
    const [approvedMeanwhile] = await store.get([approvalKeyOf(key)]);
    if (approvedMeanwhile !== undefined && keys.matches(parts, approvedMeanwhile)) return "right";
  }
  if (checked.status === "fulfilled") return checked.value;
  publishLogin(transaction, { type: "login.check_failed", error: checked.reason, durationSeconds });
  throw await refuseUnchecked(deps, open, counted, checked.reason);
}

/** Step 8: returns the error for a code that is not right. */
async function refuseCode(
  deps: LoginDeps,
  open: OpenTransaction,
  { failures, failuresOfAddress }: Counted,
  result: Exclude<CodeCheckResult, "right">,
): Promise<DoorcodeError> {
  const { transaction, attemptsLeft, checkInSeconds } = open;
  if (result === "wrong") {
    deps.publishLogin(transaction, { type: "login.code_rejected", attemptsLeft });
    // Perhaps this was the code of an earlier text: only the newest one is right.
    const code = transaction.codeNumber > 1 ? "newer_code_sent" : "code_rejected";
    return new DoorcodeError(code, { members: { attemptsLeft, checkInSeconds } });
  }
  await revokeAttempts(deps, open);
  if (result === "exhausted") return new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  // Nothing was compared. If the store fails here, the counters expire by themselves.
  if (result === "ended") await Promise.allSettled([giveBack(deps.store, [...failures, ...failuresOfAddress])]);
  // A code that expired looks the same as a service that lost its verifications: the event lets an operator see it.
  deps.publishLogin(transaction, { type: "login.code_ended" });
  return new DoorcodeError(result === "expired" ? "code_expired" : "no_transaction");
}

/**
 * Step 9: remembers that the code was right, clears what was counted for it, and leases the transaction.
 *
 * The service approves a code once, so its approval is written without waiting for a lease that another request may hold. The login
 * goes on only after all three: whatever fails from here, the same code finishes it.
 */
async function leaseApproved(
  deps: LoginDeps,
  open: OpenTransaction,
  counted: Counted,
  typed: TypedCode,
): Promise<LeasedTransaction> {
  const [remembered, leased] = await Promise.allSettled([
    rememberApproval(deps, open, counted, typed),
    leaseTransaction(deps, open),
  ]);
  if (remembered.status === "rejected") {
    // If the store fails here too, the lease runs out by itself.
    if (leased.status === "fulfilled") await Promise.allSettled([leased.value.release(leased.value.transaction)]);
    throw remembered.reason;
  }
  if (leased.status === "rejected") throw leased.reason;
  return leased.value;
}

/** Writes the approval, and only then gives the attempt back: without the approval, the service would evaluate one code more. */
async function rememberApproval(
  { store, codes, keys }: LoginDeps,
  { key }: OpenTransaction,
  { attempt, pauses, failures, failuresOfAddress }: Counted,
  { code, subject }: TypedCode,
): Promise<void> {
  if (codes.answersOnce) {
    const digest = keys.digest([...bindingOf(subject), code]);
    await store.put(approvalKeyOf(key), digest, { ttlSeconds: outliveTransactionSeconds });
  }
  // A right code is no failure, and it proves the number: its failures start again from zero.
  const unused = [...attempt, ...pauses].map(givenBack);
  await store.increment([...unused, ...failures.map(emptied), ...failuresOfAddress.map(givenBack)]);
}
