import type { Purpose } from "../codes/purpose.ts";
import { countConfirmed, type ProvenBy } from "../limits/send-limits.ts";
import { afterAnswer } from "../util/after-answer.ts";
import { CallbackMistake } from "../util/call-app.ts";
import { orAborted } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { assertSameAccount, assertSameUser } from "./account.ts";
import { askForUser, type ProvenPhone } from "./callbacks.ts";
import { digestOfDevice } from "./device.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { RequestSessions, StartedSession } from "./request-sessions.ts";
import { supersedeOthers, supersedeOthersInTime } from "./superseded-logins.ts";
import { withTimeToFinish } from "./transaction.ts";
import { type LeasedTransaction, leaseTransaction, type OpenTransaction } from "./transaction-store.ts";

/** The request whose right code finishes a login. */
export interface FinishRequest {
  readonly purpose: Purpose;
  readonly sessions: RequestSessions;
  /** The id in the cookie of the device, also of one that gets the cookie now; `undefined` for a `verify`. */
  readonly device: string | undefined;
}

/** A login that was completed: the number that is proven now. */
export interface FinishedLogin extends ProvenPhone {
  /** The user and the session that was started; `undefined` for a `verify`. */
  readonly account: StartedAccount | undefined;
}

/** The user of a login, and the session that it has started. */
export interface StartedAccount {
  readonly userId: string;
  readonly session: StartedSession;
}

const maxFinishSeconds = 10;

/**
 * Finishes a login whose code was right, in at most ten seconds. If it cannot, the same code finishes the login later.
 *
 * @throws {@link DoorcodeError} `login_unfinished`, `login_refused`, `login_superseded`, `session_changed`,
 * `session_too_large`, `transaction_busy`, `code_expired`, `no_transaction` or `store_unavailable`
 * @throws TypeError when a callback of the app returns something that is no user id
 */
export async function finish(deps: LoginDeps, request: FinishRequest, seen: OpenTransaction): Promise<FinishedLogin> {
  // Step 1: the transaction is leased, so that one request finishes it. Another one waits, and finds it done.
  const leased = await leaseTransaction(deps, seen);
  const { lease, transaction } = leased;
  const { signal } = lease.keepAlive(maxFinishSeconds);
  // Steps 2 to 4.
  const open = { ...seen, transaction };
  const completing = complete(deps, request, open, signal);
  // A session that starts after the time is over has to be undone, also after the answer.
  afterAnswer(completing);
  const finished = await orAborted(signal, completing).catch((error: unknown) =>
    leaveUnfinished(deps, leased, open, error),
  );
  // Step 5: the transaction is marked as done. The lease lets only one request do so.
  const isDone = await lease.settle(JSON.stringify({ ...transaction, done: true })).catch(async (error: unknown) => {
    await undo(finished?.account?.session);
    throw error;
  });
  // Step 6: the limits count the login as confirmed. Only now, and only by the request that has marked it: a login that
  // is finished twice must be taken off its groups once. It stands without that too. A login that the app has refused
  // proves nothing: its device must not be known when it tries again.
  if (isDone) {
    const proven = finished && provenBy(request);
    await Promise.allSettled([countConfirmed(deps, transaction.phone, open.code.counted, proven)]);
  }
  if (!finished) throw new DoorcodeError("login_refused");
  if (!isDone) {
    await undo(finished.account?.session);
    throw new DoorcodeError("login_superseded");
  }
  // Step 7: the login stands. If the store fails now, the browser's old session only ends later, by itself.
  await Promise.allSettled([finished.account?.session.complete()]);
  return finished;
}

/** Returns what a login has proven. A `verify` belongs to no user, so it makes no device known. */
function provenBy({ purpose, device }: FinishRequest): ProvenBy {
  return purpose === "verify" || device === undefined ? {} : { device: digestOfDevice(device) };
}

/** Completes a login by its purpose. Returns `undefined` when the app refuses. */
async function complete(
  deps: LoginDeps,
  request: FinishRequest,
  open: OpenTransaction,
  signal: AbortSignal,
): Promise<FinishedLogin | undefined> {
  const { phone, loginId, purpose } = open.transaction;
  if (purpose !== "verify") {
    const account = await logIn(deps, request, open, signal);
    return account && { phone, loginId, account };
  }
  // A `verify` has no user and no session: only the number's other logins end.
  await supersedeOthers(deps, open.transaction);
  return { phone, loginId, account: undefined };
}

/** Asks the app for the user and starts a session. Returns `undefined` when the app refuses. */
async function logIn(
  deps: LoginDeps,
  { sessions }: FinishRequest,
  { transaction, code }: OpenTransaction,
  signal: AbortSignal,
): Promise<StartedAccount | undefined> {
  // Step 2: the app names the user. The session is compared before and after: a logout may have come while the code was
  // checked, or while the app took its time.
  await assertSameAccount(deps, transaction, sessions);
  const userId = await askForUser(deps, transaction, code.counted, signal);
  if (userId === undefined) return undefined;
  await assertSameAccount(deps, transaction, sessions);
  // Step 3: the session starts, and the number's other logins end.
  const { phone, loginId, purpose } = transaction;
  const starting = sessions.start({ userId, phone, loginId, purpose });
  const [started, superseded] = await Promise.allSettled([
    starting,
    supersedeOthersInTime(deps, transaction, starting),
  ]);
  if (started.status === "rejected") throw started.reason;
  try {
    if (superseded.status === "rejected") throw superseded.reason;
    // Step 4: the session is undone if the user has logged out meanwhile, or the time is over.
    await assertSameUser(transaction, sessions);
    signal.throwIfAborted();
  } catch (error) {
    await undo(started.value);
    throw error;
  }
  return { userId, session: started.value };
}

/** Releases a transaction whose code was right, so that the same code can finish it. */
async function leaveUnfinished(
  deps: LoginDeps,
  { lease, transaction }: LeasedTransaction,
  { code }: OpenTransaction,
  error: unknown,
): Promise<never> {
  deps.publishLogin(transaction, { type: "login.unfinished", error });
  await lease.settle(JSON.stringify(withTimeToFinish(transaction, code, deps.clock.now())));
  if (isDoorcodeError(error) || error instanceof CallbackMistake) throw error;
  throw new DoorcodeError("login_unfinished", { retryAfterSeconds: 1, cause: error });
}

/** Ends a session that no browser got. A failure here must not hide why the session is ended. */
async function undo(session: StartedSession | undefined): Promise<void> {
  if (session) await Promise.allSettled([session.undo()]);
}
