import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { assertSameSession, type ConfirmRequest } from "./attempt.ts";
import type { LoginParts, StartedSession } from "./login.ts";
import { endOthersOfPhone } from "./phone-end.ts";
import { tracePhone } from "./phone-trace.ts";
import { type HeldTransaction, type Transaction, withTimeToFinish } from "./transaction.ts";

/** A login that came to its end: who it is, and the session that was started for it. */
export interface ConfirmedLogin {
  readonly userId: string;
  readonly session: StartedSession;
}

const limitSeconds = 10;

/**
 * Turns a right code into a login, once: under the fenced right to the transaction, the app names the user, a session
 * starts, and the transaction is done.
 *
 * @throws {@link DoorcodeError} `no_transaction` when another request was first; `transaction_busy`;
 * `login_unfinished` when the app failed, and the same code may be sent again; `login_refused`; `login_superseded`;
 * `session_changed`; `session_too_large`; `store_unavailable`
 * @throws TypeError when a callback of the app answers no user's id
 */
export async function finish(
  login: LoginParts,
  request: ConfirmRequest,
  held: HeldTransaction,
): Promise<ConfirmedLogin> {
  const { transaction } = held;
  return held.during(limitSeconds, async (signal) => {
    const confirmed = await orAborted(signal, logIn(login, request, transaction, signal)).catch((error: unknown) =>
      leaveUnfinished(login, held, error),
    );
    const done = await held.release({ ...transaction, done: true }).catch(async (error: unknown) => {
      if (confirmed) await undo(confirmed.session);
      throw error;
    });
    if (!confirmed) throw new DoorcodeError("login_refused");
    if (!done) {
      await undo(confirmed.session);
      throw new DoorcodeError("login_superseded");
    }
    // The login stands; a store that fails now only leaves the browser's old session to expire.
    await Promise.allSettled([confirmed.session.complete()]);
    publishCompleted(login, transaction, confirmed.userId);
    return confirmed;
  });
}

/** Asks the app whose phone this is, and starts a session for it; `undefined` when the app refuses. */
async function logIn(
  login: LoginParts,
  { sessions }: ConfirmRequest,
  transaction: Transaction,
  signal: AbortSignal,
): Promise<ConfirmedLogin | undefined> {
  // Again, now that nobody else can finish: a logout may have come while the code was being judged.
  await assertSameSession(transaction, sessions);
  const userId = await askApp(login, transaction, signal);
  if (userId === undefined) return undefined;

  const { phone, loginId, purpose } = transaction;
  const [started, ended] = await Promise.allSettled([
    sessions.start({ userId, phone, loginId, purpose }),
    endOthersOfPhone(login, transaction),
  ]);
  if (started.status === "rejected") throw started.reason;
  // Nobody waits for this session any more, or nobody may have it.
  if (signal.aborted || ended.status === "rejected") await undo(started.value);
  if (ended.status === "rejected") throw ended.reason;
  return { userId, session: started.value };
}

/** Takes a session back. What stops even that must not hide why it is taken back; no browser got its cookie. */
async function undo(session: StartedSession): Promise<void> {
  await Promise.allSettled([session.undo()]);
}

async function askApp(
  { callbacks }: LoginParts,
  { purpose, phone, loginId, session }: Transaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proof = { phone, loginId };
  if (purpose === "login") return userIdOf("onLogin", await callbacks.onLogin?.(proof, { signal }));
  // `link` and `step_up` are only started from a session.
  if (purpose === "step_up" || !session) return session?.userId;
  const userId = userIdOf("onLink", await callbacks.onLink?.({ ...proof, userId: session.userId }, { signal }));
  if (userId === undefined || userId === session.userId) return userId;
  throw new CallbackMistake("login.onLink must return the id of the user that it was given, or undefined to refuse.");
}

/** What a callback answers that only its author can mend; sending the code again would not help. */
class CallbackMistake extends TypeError {}

function userIdOf(callback: string, answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string" && answer !== "") return answer;
  throw new CallbackMistake(`login.${callback} must return the user's id as a string, or undefined to refuse.`);
}

/** Lets go of a transaction whose code was right, so that the same code finishes it. */
async function leaveUnfinished(login: LoginParts, held: HeldTransaction, error: unknown): Promise<never> {
  const { transaction } = held;
  const { loginId, phone } = transaction;
  login.publish({ type: "login.unfinished", loginId, error, ...tracePhone(login.keys, phone) });
  await held.release(withTimeToFinish(transaction, login.clock.now()));
  if (isDoorcodeError(error) || error instanceof CallbackMistake) throw error;
  throw new DoorcodeError("login_unfinished", { retryAfterSeconds: 1, cause: error });
}

/** A callback that ignores its signal must not keep the browser waiting. */
function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject);
  });
}

function publishCompleted(login: LoginParts, { loginId, phone }: Transaction, userId: string): void {
  login.publish({ type: "login.completed", loginId, userId, ...tracePhone(login.keys, phone) });
}
