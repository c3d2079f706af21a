import { DoorcodeError } from "../errors.ts";
import type { Attempt, ConfirmRequest } from "./attempt.ts";
import { digestParts } from "./code-strategy.ts";
import type { ConfirmedLogin } from "./confirm.ts";
import type { LoginParts, StartedSession } from "./login.ts";
import { endOthersOfPhone } from "./phone-end.ts";
import { tracePhone } from "./send-code.ts";
import type { HeldTransaction, Transaction } from "./transaction.ts";

const callbackSeconds = 10;
/** What an approved code has at least, to finish a login that failed after it. */
const finishMilliseconds = 60_000;

/**
 * Turns a right code into a login, once: under the fenced right to the transaction, the app names the user, a session
 * starts, and the transaction is done.
 *
 * @throws {@link DoorcodeError} `no_transaction` when another request was first; `transaction_busy`;
 * `login_unfinished` when the app's callback failed, and the same code may be sent again; `login_refused`;
 * `login_superseded`
 */
export async function finish(login: LoginParts, request: ConfirmRequest, attempt: Attempt): Promise<ConfirmedLogin> {
  const held = await login.transactions.hold(attempt.key, attempt.transaction);
  const approved = approve(login, request, attempt, held.transaction);

  return held.during(callbackSeconds, async (signal) => {
    const [recorded] = await Promise.all([login.codes.answersOnce ? held.save(approved) : true, attempt.giveBack()]);
    if (!recorded) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });

    const userId = await nameUser(login, held, approved, signal);
    const session = await orAborted(signal, startSession(login, request, approved, userId)).catch((error: unknown) =>
      leaveUnfinished(login, held, approved, error),
    );
    if (!(await held.release({ ...approved, done: true }))) {
      await session.undo();
      throw new DoorcodeError("login_superseded");
    }
    // The login stands; a store that fails now only leaves something to expire.
    await Promise.allSettled([forgetFailures(login, approved), session.complete()]);
    login.publish({ type: "login.completed", loginId: approved.loginId, userId, ...tracePhone(login, approved.phone) });
    return { userId, session };
  });
}

/** Remembers the right code, so that a login which fails from here on needs no second answer of the service. */
function approve(login: LoginParts, request: ConfirmRequest, attempt: Attempt, current: Transaction): Transaction {
  return {
    ...current,
    approved: login.keys.digest(digestParts(attempt.subject, request.code)),
    expiresAt: Math.max(current.expiresAt, login.clock.now() + finishMilliseconds),
  };
}

/** Asks the app whose phone this is. A refusal ends the transaction, a failure leaves it to be finished. */
async function nameUser(
  login: LoginParts,
  held: HeldTransaction,
  approved: Transaction,
  signal: AbortSignal,
): Promise<string> {
  const userId = await orAborted(signal, askApp(login, approved, signal)).catch((error: unknown) =>
    leaveUnfinished(login, held, approved, error),
  );
  if (userId !== undefined) return userId;
  await held.release({ ...approved, done: true });
  throw new DoorcodeError("login_refused");
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
  return userIdOf("onLink", await callbacks.onLink?.({ ...proof, userId: session.userId }, { signal }));
}

function userIdOf(callback: string, answer: unknown): string | undefined {
  if (answer === undefined || (typeof answer === "string" && answer !== "")) return answer;
  throw new TypeError(`${callback} must return the user's id as a string, or undefined to refuse.`);
}

async function startSession(
  login: LoginParts,
  { sessions }: ConfirmRequest,
  approved: Transaction,
  userId: string,
): Promise<StartedSession> {
  const { phone, loginId, purpose } = approved;
  const [session] = await Promise.all([
    sessions.start({ userId, phone, loginId, purpose }),
    endOthersOfPhone(login, approved),
  ]);
  return session;
}

/** Lets go of an approved transaction, so that the same code finishes it. */
async function leaveUnfinished(
  login: LoginParts,
  held: HeldTransaction,
  approved: Transaction,
  error: unknown,
): Promise<never> {
  login.publish({ type: "login.unfinished", loginId: approved.loginId, error, ...tracePhone(login, approved.phone) });
  await held.release(approved);
  throw new DoorcodeError("login_unfinished", { retryAfterSeconds: 1 });
}

/** A callback that ignores its signal must not keep the browser waiting. */
function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

/** The number was proven: what was counted against it starts again from zero. */
async function forgetFailures({ store, budgets, keys }: LoginParts, { phone }: Transaction): Promise<void> {
  const failures = budgets.failure(keys.fingerprint(phone));
  await Promise.all(failures.map(({ key, ttlSeconds }) => store.put(key, undefined, { ttlSeconds })));
}
