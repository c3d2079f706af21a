import { bindingOf, type CodeCheckResult } from "../codes/code-strategy.ts";
import { giveBack } from "../limits/counters.ts";
import { secondsSince } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { assertSameSession } from "./account.ts";
import {
  type CountedAttempt,
  clearAttempt,
  countFailure,
  giveBackUnjudged,
  reserveAttempt,
  revokeAttempts,
} from "./attempts.ts";
import { type FinishedLogin, type FinishRequest, finish } from "./finish.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { UserOfLogin } from "./login-event.ts";
import {
  approvalKeyOf,
  isSuperseded,
  loadTransaction,
  loginCodeOf,
  type NamedTransaction,
  type OpenTransaction,
  outliveTransactionSeconds,
  supersessionKey,
} from "./transaction.ts";

/** A code that a browser sends for its open login. */
export interface ConfirmRequest extends NamedTransaction, FinishRequest {
  /** Digits only, of a length that the strategy allows. */
  readonly code: string;
  readonly client: string | undefined;
}

/**
 * Confirms a login: counts an attempt, checks the code, and finishes the login. Of any number of parallel requests one logs in. If the code
 * was right and the login could not be finished, the same code finishes it later.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `code_expired`, `code_malformed`, `attempts_exhausted`, `check_cooldown`,
 * `too_many_failures`, `phone_closed`, `client_limit_reached`, `session_changed`, `code_rejected`, `newer_code_sent`, `transaction_busy`,
 * `login_unfinished`, `login_refused`, `login_superseded`, `session_too_large`, `service_unavailable`, `service_rate_limited` or
 * `store_unavailable`
 * @throws TypeError when a callback of the app returns something that is no user id
 */
export async function confirm(deps: LoginDeps, request: ConfirmRequest): Promise<FinishedLogin> {
  const startedAt = deps.clock.now();
  // Step 1: the login is open in this browser and, if it is a link or a step-up, in the session that started it.
  const open = await loadTransaction(deps, request);
  await assertSameSession(open.transaction, request.sessions);
  // Step 2: an attempt is reserved, before any comparison and any call to the service.
  const [attempt, [supersession]] = await Promise.all([
    reserveAttempt(deps, open),
    deps.store.get([supersessionKey(deps, open.transaction)]),
  ]);
  if (isSuperseded(open.transaction, supersession)) throw new DoorcodeError("no_transaction");
  // After the last attempt a code of any length is one too many, so its length is checked only now.
  if (!hasLengthOf(deps, open, request.code)) {
    await giveBack(deps.store, [attempt.share]);
    throw new DoorcodeError("code_malformed");
  }
  // Step 3: a failure of the number and of the address is counted until the code is found right.
  const counted = await countFailure(deps, open, attempt);
  // Step 4: the code is compared with the one that was approved, or its owner checks it.
  const result = await checkCode(deps, open, counted, request.code);
  if (result !== "right") throw await refuseCode(deps, open, counted, result);
  // Step 5: the approval is written, and only then the attempt is given back: without the approval, the service would
  // evaluate one code more. If anything fails from here, the same code finishes the login.
  await rememberApproval(deps, open, request.code);
  await clearAttempt(deps, counted);
  // Step 6: one request finishes the login.
  const finished = await finish(deps, request, open);
  // Pages of the number's other logins wait.
  deps.changes.emit(supersessionKey(deps, open.transaction));
  const durationSeconds = secondsSince(deps.clock, startedAt);
  deps.publishLogin(open.transaction, {
    type: "login.completed",
    completedAt: deps.clock.now(),
    durationSeconds,
    channel: open.code.channel,
    sinceCodeSeconds: secondsSince(deps.clock, open.code.codeSentAt),
    ...(request.client !== undefined && { client: request.client }),
    ...(finished.account && ofUser(finished.account.userId, open)),
  });
  return finished;
}

/** What the owner of an account wants to know of a login: whether it came from a device that has proven the number before. */
function ofUser(userId: string, { code: { facts } }: OpenTransaction): UserOfLogin {
  const { knownDevice, lastProvenAt } = facts;
  return { userId, knownDevice: knownDevice !== undefined, ...(lastProvenAt !== undefined && { lastProvenAt }) };
}

function hasLengthOf({ codes }: LoginDeps, { transaction: { codeLength } }: OpenTransaction, code: string): boolean {
  const { min, max } = codeLength === undefined ? codes.digits : { min: codeLength, max: codeLength };
  return code.length >= min && code.length <= max;
}

/** Step 4: compares the code with one that was right before, else asks its owner. */
async function checkCode(
  deps: LoginDeps,
  open: OpenTransaction,
  counted: CountedAttempt,
  typed: string,
): Promise<CodeCheckResult> {
  const { store, keys, codes, clock, publishLogin } = deps;
  const { transaction, approvedDigest } = open;
  const loginCode = loginCodeOf(open);
  const isApproved = (digest: string) => keys.matches([...bindingOf(loginCode), typed], digest);
  // The code was found right, and the login could not be finished. The service would not approve it again.
  if (approvedDigest !== undefined) return isApproved(approvedDigest) ? "right" : "wrong";

  const startedAt = clock.now();
  const [checked] = await Promise.allSettled([codes.check(typed, loginCode)]);
  const durationSeconds = secondsSince(clock, startedAt);
  if (checked.status === "fulfilled") {
    publishLogin(transaction, { type: "login.code_checked", result: checked.value, durationSeconds });
    if (checked.value === "right") return "right";
  }
  // After a double click the other request has used the code up, so this one's answer says nothing.
  if (codes.answersOnce) {
    const [approvedMeanwhile] = await store.get([approvalKeyOf(open.key)]);
    if (approvedMeanwhile !== undefined && isApproved(approvedMeanwhile)) return "right";
  }
  if (checked.status === "fulfilled") return checked.value;
  publishLogin(transaction, { type: "login.check_failed", error: checked.reason, durationSeconds });
  throw await refuseUnjudged(deps, open, counted, checked.reason);
}

async function refuseCode(
  deps: LoginDeps,
  open: OpenTransaction,
  counted: CountedAttempt,
  result: Exclude<CodeCheckResult, "right">,
): Promise<DoorcodeError> {
  const { attemptsLeft, checkInSeconds } = counted;
  if (result === "wrong") {
    deps.publishLogin(open.transaction, { type: "login.code_rejected", attemptsLeft });
    // Perhaps this was the code of an earlier text: only the newest one is right.
    const code = open.code.codeNumber > 1 ? "newer_code_sent" : "code_rejected";
    return new DoorcodeError(code, { members: { attemptsLeft, checkInSeconds } });
  }
  await revokeAttempts(deps, open);
  if (result === "exhausted") return new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  // Nothing was compared. If the store fails here, the counters expire by themselves.
  const { failures, failuresOfAddress } = counted;
  if (result === "ended") await Promise.allSettled([giveBack(deps.store, [...failures, ...failuresOfAddress])]);
  // A code that expired looks the same as a service that lost its verifications: the event lets an operator see it.
  deps.publishLogin(open.transaction, { type: "login.code_ended" });
  return new DoorcodeError(result === "expired" ? "code_expired" : "no_transaction");
}

/**
 * Returns the error for a code that its owner could not check. Gives back what was counted, and the attempt only if surely no code was
 * compared. After a mistake of the app, an error that is no {@link DoorcodeError}, nothing is given back.
 */
async function refuseUnjudged(
  deps: LoginDeps,
  open: OpenTransaction,
  counted: CountedAttempt,
  error: unknown,
): Promise<unknown> {
  if (!isDoorcodeError(error)) return error;
  const attemptsLeft = await giveBackUnjudged(deps, open, counted, !comparedNothing(error));
  return new DoorcodeError(error.code === "service_rate_limited" ? error.code : "service_unavailable", {
    message: attemptsLeft > counted.attemptsLeft ? unusedAttempt : usedAttempt(attemptsLeft),
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

/** Step 5: remembers a code that is right only once. No lease is waited for, which another request may hold. */
async function rememberApproval(
  { store, codes, keys }: LoginDeps,
  open: OpenTransaction,
  typed: string,
): Promise<void> {
  if (!codes.answersOnce) return;
  const digest = keys.digest([...bindingOf(loginCodeOf(open)), typed]);
  await store.put(approvalKeyOf(open.key), digest, { ttlSeconds: outliveTransactionSeconds });
}
