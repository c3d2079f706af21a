import { giveBack, reserve } from "../limits/budgets.ts";
import { addressFailureBudgets, failureBudgets } from "../limits/counter-table.ts";
import type { CounterChange } from "../store/store.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { assertSameSession } from "./account.ts";
import { pauseBudgets, revokeAttempts } from "./attempt-budgets.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { RequestSessions } from "./request-sessions.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { loadTransaction, type NamedTransaction, type OpenTransaction, refuseAbsent } from "./transaction-store.ts";

/** A code that is to be tried. */
export interface CodeAttempt extends NamedTransaction {
  /** Digits only. */
  readonly code: string;
  readonly sessions: RequestSessions;
}

/** The counters that a confirmation has raised. */
export interface Counted {
  /** The attempt of the login. */
  readonly attempt: readonly CounterChange[];
  /** The pause before the login's next attempt. */
  readonly pauses: readonly CounterChange[];
  /** The failures of the number, or of the device that has proven it. */
  readonly failures: readonly CounterChange[];
  readonly failuresOfAddress: readonly CounterChange[];
}

/**
 * Counts an attempt, before any comparison and any call to the service: the first four steps of a confirmation.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `code_expired`, `code_malformed`, `attempts_exhausted`, `check_cooldown`,
 * `too_many_failures`, `phone_closed`, `client_limit_reached`, `session_changed` or `store_unavailable`
 */
export async function countAttempt(
  deps: LoginDeps,
  request: CodeAttempt,
): Promise<{ readonly open: OpenTransaction; readonly counted: Counted }> {
  const open = await reserveAttempt(deps, request);
  return { open, counted: await countFailure(deps, request, open) };
}

/** Step 1: loads the transaction and counts an attempt. */
async function reserveAttempt(deps: LoginDeps, request: CodeAttempt): Promise<OpenTransaction> {
  const open = await loadTransaction(deps, request, 1);
  if ("absent" in open) throw refuseAbsent(open.absent);
  const { attempt, attemptsLeft, attemptsRevoked } = open;
  const { refusal, granted } = attempt;
  if (refusal === undefined && hasLengthOf(deps, open, request.code)) return open;
  // No code was checked.
  await giveBack(deps.store, granted);
  if (refusal === undefined) throw new DoorcodeError("code_malformed");
  if (attemptsRevoked) throw new DoorcodeError("no_transaction");
  throw refuseWith(refusal, attemptsLeft);
}

/** Returns a refusal that also says how many attempts are left. */
function refuseWith({ code, retryAfterSeconds }: DoorcodeError, attemptsLeft: number): DoorcodeError {
  return new DoorcodeError(code, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    members: { attemptsLeft },
  });
}

function hasLengthOf({ codes }: LoginDeps, { transaction }: OpenTransaction, code: string): boolean {
  const { codeLength } = transaction;
  const { min, max } = codeLength === undefined ? codes.digits : { min: codeLength, max: codeLength };
  return code.length >= min && code.length <= max;
}

/**
 * Counts a failure of the number too, and refuses a login that must not go on. A refusal here checked no code, so it gives
 * everything back.
 *
 * @returns what was counted.
 */
async function countFailure(deps: LoginDeps, { sessions }: CodeAttempt, open: OpenTransaction): Promise<Counted> {
  const { store, keys } = deps;
  const { transaction } = open;
  const { phone, codeLength, counted: login } = transaction;
  // Strangers cannot use up the failures of a device that has proven the number, nor does its login clear theirs.
  const owner = { phoneFingerprint: keys.fingerprint(phone), knownDevice: login?.knownDevice };
  const failures = failureBudgets(deps, owner, codeLength);
  const failuresOfAddress = login ? addressFailureBudgets(deps, login.address, login.knownDevice) : [];
  const pauses = pauseBudgets(deps, open);
  const counted = { attempt: open.attempt.granted, pauses, failures, failuresOfAddress };
  const reserving = reserve(store, [...pauses, ...failures, ...failuresOfAddress]);
  try {
    // Steps 2 and 3: the failures of the number, and whether another login of it was completed meanwhile.
    const [[mark]] = await Promise.all([store.get([supersessionKey(deps, transaction)]), reserving]);
    if (isSuperseded(transaction, mark)) throw new DoorcodeError("no_transaction");
    // Step 4: a link or a step-up belongs to the session that started it.
    await assertSameSession(transaction, sessions);
    return counted;
  } catch (error) {
    const reserved = await reserving.then(
      () => [...pauses, ...failures, ...failuresOfAddress],
      () => [],
    );
    await giveBack(store, [...open.attempt.granted, ...reserved]);
    // The codes of this login have become too short: the next login has longer ones, so this one must not be gone on with.
    if (isDoorcodeError(error) && error.code === "attempts_exhausted") {
      await revokeAttempts(deps, open);
      throw refuseWith(error, 0);
    }
    // Another code was tried at the same time.
    if (isDoorcodeError(error) && error.code === "check_cooldown") throw refuseWith(error, open.attemptsLeft + 1);
    throw error;
  }
}
