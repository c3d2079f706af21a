import { addressFailureBudgets, failureBudgets } from "../limits/counter-table.ts";
import { emptied, giveBack, reserve } from "../limits/counters.ts";
import type { LoginLimits } from "../limits/login-limits.ts";
import type { CounterChange } from "../store/store.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type OpenTransaction, outliveTransactionSeconds } from "./transaction.ts";

/** How many codes a login may still try, and when. */
export interface AttemptsLeft {
  readonly attemptsLeft: number;
  /** The time until another code may be tried, after the attempt if one was reserved. */
  readonly checkInSeconds: number;
}

/** An attempt of a login: one code that may be tried. */
export interface ReservedAttempt extends AttemptsLeft {
  /** Its number in the login, counted from 1. */
  readonly number: number;
  readonly share: CounterChange;
}

/** An attempt, and what was counted for it as for a wrong code. */
export interface CountedAttempt extends ReservedAttempt {
  /** The pause before the login's next attempt. */
  readonly pauses: readonly CounterChange[];
  /** The failures of the number, or of the device that has proven it. */
  readonly failures: readonly CounterChange[];
  readonly failuresOfAddress: readonly CounterChange[];
}

/** Returns the share of one attempt. A counter that expired before its login would give the attempts back. */
function attemptShare({ limits }: LoginDeps, transactionKey: string): CounterChange {
  const key = `${transactionKey}:attempts`;
  return { key, by: 1, limit: limits.attemptsPerTransaction, ttlSeconds: outliveTransactionSeconds };
}

/** It belongs to the login, so wrong codes of a stranger's login cause no pause. */
function pauseOf(transactionKey: string, by: 0 | 1, ttlSeconds: number): CounterChange {
  return { key: `${transactionKey}:check-pause`, by, limit: 1, ttlSeconds };
}

/** Returns the pause after an attempt. Nobody waits before the first one, and after the last one. */
function pauseAfter({ attemptsPerTransaction, checkPauseSeconds }: LoginLimits, number: number): number {
  if (number < 1 || number >= attemptsPerTransaction) return 0;
  return checkPauseSeconds[Math.min(number, checkPauseSeconds.length) - 1] ?? 0;
}

/** Reads how many codes a login may still try. */
export async function readAttempts(deps: LoginDeps, { key }: OpenTransaction): Promise<AttemptsLeft> {
  const { store, limits } = deps;
  const [attempts, pause] = await store.increment([{ ...attemptShare(deps, key), by: 0 }, pauseOf(key, 0, 1)]);
  return {
    attemptsLeft: Math.max(0, limits.attemptsPerTransaction - (attempts?.count ?? 0)),
    checkInSeconds: pause?.secondsLeft ?? 0,
  };
}

/**
 * Reserves an attempt of a login, in one atomic step. Refuses if no attempt is left, in a pause, and after the attempts were revoked.
 *
 * @throws {@link DoorcodeError} `attempts_exhausted`; `check_cooldown`; `no_transaction` if the attempts were revoked
 */
export async function reserveAttempt(deps: LoginDeps, { key }: OpenTransaction): Promise<ReservedAttempt> {
  const { store, limits } = deps;
  const share = attemptShare(deps, key);
  const [attempt, pause] = await store.increment([share, pauseOf(key, 0, 1)]);
  const number = attempt?.count ?? 0;
  if (number > limits.attemptsPerTransaction) throw new DoorcodeError("no_transaction");
  if (!attempt?.granted) throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  const attemptsLeft = limits.attemptsPerTransaction - number;
  const retryAfterSeconds = pause?.secondsLeft ?? 0;
  if (retryAfterSeconds > 0) {
    await giveBack(store, [share]);
    throw new DoorcodeError("check_cooldown", { retryAfterSeconds, members: { attemptsLeft: attemptsLeft + 1 } });
  }
  return { number, share, attemptsLeft, checkInSeconds: pauseAfter(limits, number) };
}

/**
 * Counts a failure of the number and of the address, and begins the pause after the attempt. A refusal gives the unused attempt back.
 *
 * @throws {@link DoorcodeError} `check_cooldown`, `too_many_failures`, `phone_closed`, `client_limit_reached`, or `attempts_exhausted` if
 * the codes of this login have become too short
 */
export async function countFailure(
  deps: LoginDeps,
  open: OpenTransaction,
  attempt: ReservedAttempt,
): Promise<CountedAttempt> {
  const { store, keys, limits } = deps;
  const { phone, codeLength } = open.transaction;
  const { address, knownDevice } = open.code.facts;
  // Strangers cannot use up the failures of a device that has proven the number, nor does its login clear theirs.
  const failures = failureBudgets(deps, { phoneFingerprint: keys.fingerprint(phone), knownDevice }, codeLength);
  const failuresOfAddress = addressFailureBudgets(deps, address, knownDevice);
  // Of attempts at the same time, the last one must not pass the pause of the one before.
  const pauseSeconds = pauseAfter(limits, attempt.number) || pauseAfter(limits, attempt.number - 1);
  const pause = { ...pauseOf(open.key, 1, pauseSeconds), name: "login.checkPause", refusal: "check_cooldown" } as const;
  const pauses = pauseSeconds > 0 ? [pause] : [];
  try {
    await reserve(store, [...pauses, ...failures, ...failuresOfAddress]);
  } catch (error) {
    await giveBack(store, [attempt.share]);
    throw await refusalOf(deps, open, attempt, error);
  }
  return { ...attempt, pauses, failures, failuresOfAddress };
}

async function refusalOf(
  deps: LoginDeps,
  open: OpenTransaction,
  { attemptsLeft }: ReservedAttempt,
  error: unknown,
): Promise<unknown> {
  if (!isDoorcodeError(error)) return error;
  const { code, retryAfterSeconds } = error;
  // Another code was tried at the same time.
  if (code === "check_cooldown" && retryAfterSeconds !== undefined) {
    return new DoorcodeError(code, { retryAfterSeconds, members: { attemptsLeft: attemptsLeft + 1 } });
  }
  if (code !== "attempts_exhausted") return error;
  // The codes of this login have become too short: the next login has longer ones, so this one must not be gone on
  // with.
  await revokeAttempts(deps, open);
  return new DoorcodeError(code, { members: { attemptsLeft: 0 } });
}

/** Clears the counts of a right code, and all failures of its number or device. Call it only once nothing can be won by another code. */
export async function clearAttempt(
  { store }: LoginDeps,
  { share, pauses, failures, failuresOfAddress }: CountedAttempt,
): Promise<void> {
  const returning = giveBack(store, [share, ...pauses, ...failuresOfAddress]);
  await Promise.all([returning, store.increment(failures.map(emptied))]);
}

const maxReturned = 100;

/**
 * Gives back what was counted for a code that was not judged, and the attempt if the code was not compared; returns the attempts that are
 * left. Such an answer tells an attacker nothing, and an outage must close neither numbers nor addresses. If the store fails here, the
 * counters expire by themselves.
 */
export async function giveBackUnjudged(
  { store }: LoginDeps,
  { key }: OpenTransaction,
  { share, pauses, failures, failuresOfAddress, attemptsLeft }: CountedAttempt,
  wasCompared: boolean,
): Promise<number> {
  // Without an end, one login could keep the app at the service's rate limit for as long as it lives.
  const returned = { ...share, key: `${key}:attempts-returned`, limit: maxReturned };
  const [state] = wasCompared ? [] : await store.increment([returned]).catch(() => []);
  const unused = state?.granted ? [share] : [];
  await Promise.allSettled([giveBack(store, [...unused, ...pauses, ...failures, ...failuresOfAddress])]);
  return attemptsLeft + unused.length;
}

/** Uses up all attempts: no further code will be right. A right code that is being finished is not disturbed. */
export async function revokeAttempts(deps: LoginDeps, { key }: OpenTransaction): Promise<void> {
  const { key: attempts, ttlSeconds } = attemptShare(deps, key);
  await deps.store.increment([{ key: attempts, by: deps.limits.attemptsPerTransaction, ttlSeconds }]);
}
