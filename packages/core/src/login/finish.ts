import { countConfirmed } from "../limits/after-sending.ts";
import type { LimitFacts } from "../limits/decision.ts";
import type { HeldLease } from "../store/lease.ts";
import { afterAnswer } from "../util/after-answer.ts";
import { CallbackMistake, callApp } from "../util/call-app.ts";
import { orAborted, secondsSince } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { digestOfId } from "../util/keys.ts";
import { assertSameAccount, type RequestSessions, type StartedSession } from "./account.ts";
import type { ProvenPhone } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import {
  isSuperseded,
  type LoginTransaction,
  leaseTransaction,
  type OpenTransaction,
  supersedeOthers,
  supersessionKey,
  withTimeToFinish,
} from "./transaction.ts";

/** The request whose right code finishes a login. */
export interface FinishRequest {
  readonly sessions: RequestSessions;
  /** The id of the device; `undefined` for a `verify`, which belongs to no user and so makes no device known. */
  readonly deviceId: string | undefined;
}

/** A login that was completed: the number that is proven now. */
export interface FinishedLogin extends ProvenPhone {
  /** The user and the session that was started; `undefined` for a `verify`. */
  readonly account: { readonly userId: string; readonly session: StartedSession } | undefined;
}

const maxFinishSeconds = 10;

/**
 * Finishes a login whose code was right, in at most ten seconds. If it cannot, the same code finishes the login later.
 *
 * @throws {@link DoorcodeError} `login_unfinished`, `login_refused`, `login_superseded`, `session_changed`, `session_too_large`,
 * `transaction_busy`, `code_expired`, `no_transaction` or `store_unavailable`
 * @throws TypeError when a callback of the app returns something that is no user id
 */
export async function finish(deps: LoginDeps, request: FinishRequest, seen: OpenTransaction): Promise<FinishedLogin> {
  // Step 1: the transaction is leased, so that one request finishes it. Another one waits, and finds it done.
  const { lease, transaction } = await leaseTransaction(deps, seen);
  const { signal } = lease.keepAlive(maxFinishSeconds);
  // Steps 2 to 4.
  const open = { ...seen, transaction };
  const completing = complete(deps, request, open, signal);
  // A session that starts after the time is over has to be undone, also after the answer.
  afterAnswer(completing);
  const finished = await orAborted(signal, completing).catch((error: unknown) =>
    leaveUnfinished(deps, lease, open, error),
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
    const proven = finished && (request.deviceId === undefined ? {} : { deviceDigest: digestOfId(request.deviceId) });
    await Promise.allSettled([countConfirmed(deps, transaction.phone, open.code.facts, proven)]);
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
): Promise<FinishedLogin["account"]> {
  // Step 2: the app names the user. The session is compared before and after: a logout may have come while the code was
  // checked, or while the app took its time.
  await assertSameAccount(deps, transaction, sessions);
  const userId = await askForUser(deps, transaction, code.facts, signal);
  if (userId === undefined) return undefined;
  await assertSameAccount(deps, transaction, sessions);
  // A login that was given up meanwhile must not go on: an app's own start ends the session before it.
  signal.throwIfAborted();
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
    // An app that renews its own session's id has another session by now, of the same user.
    if (transaction.session && (await sessions.current())?.userId !== transaction.session.userId) {
      throw new DoorcodeError("session_changed");
    }
    signal.throwIfAborted();
  } catch (error) {
    await undo(started.value);
    throw error;
  }
  return { userId, session: started.value };
}

/** Asks the app for the user; `undefined` if it refuses. The user of a step-up is known. */
async function askForUser(
  deps: LoginDeps,
  transaction: LoginTransaction,
  facts: LimitFacts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { purpose, session } = transaction;
  if (purpose === "step_up") return session?.userId;
  const startedAt = deps.clock.now();
  const asking =
    purpose === "link" ? askOnLink(deps, transaction, signal) : askOnLogin(deps, transaction, facts, signal);
  const [asked] = await Promise.allSettled([asking]);
  const answer = asked.status === "fulfilled" && asked.value === undefined ? "refused" : "accepted";
  deps.publishLogin(transaction, {
    type: "login.callback_ended",
    callback: purpose === "link" ? "onLink" : "onLogin",
    outcome: asked.status === "rejected" ? "failed" : answer,
    durationSeconds: secondsSince(deps.clock, startedAt),
  });
  if (asked.status === "rejected") throw asked.reason;
  return asked.value;
}

async function askOnLink(
  { callbacks }: LoginDeps,
  { phone, loginId, oldPhone, session }: LoginTransaction,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!session) return undefined;
  const link = { phone, loginId, userId: session.userId, oldPhone };
  const userId = userIdOf("onLink", await callApp("login.onLink", () => callbacks.onLink?.(link, { signal })));
  if (userId === undefined || userId === session.userId) return userId;
  throw new CallbackMistake("login.onLink must return the id of the user that it was given, or undefined to refuse.");
}

/** What is known of the number's past is of the start: a later proof would have superseded this login. */
async function askOnLogin(
  { callbacks, suspicionAfterSeconds }: LoginDeps,
  { phone, loginId, createdAt }: LoginTransaction,
  { lastProvenAt, knownDevice }: LimitFacts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proof = { phone, loginId, lastProvenAt, knownDevice: knownDevice !== undefined };
  const isSilent = lastProvenAt === undefined || createdAt - lastProvenAt >= suspicionAfterSeconds * 1000;
  if (callbacks.onSuspicion && isSilent && !proof.knownDevice) {
    const passes = await callApp("login.onSuspicion", () => callbacks.onSuspicion?.(proof, { signal }));
    if (passes === false) return undefined;
    if (passes !== true) throw new CallbackMistake("login.onSuspicion must return true, or false to refuse.");
    // A login that was given up meanwhile must not go on.
    signal.throwIfAborted();
  }
  return userIdOf("onLogin", await callApp("login.onLogin", () => callbacks.onLogin?.(proof, { signal })));
}

function userIdOf(callback: string, answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string" && answer !== "") return answer;
  throw new CallbackMistake(`login.${callback} must return the user's id as a string, or undefined to refuse.`);
}

/** Supersedes the other logins of the number. Refuses if a removal has superseded this login while the app was asked. */
async function supersedeOthersInTime(
  deps: LoginDeps,
  login: LoginTransaction,
  starting: Promise<unknown>,
): Promise<void> {
  // Only an app with `onRemove` removes numbers. Any other need not wait for the store once more.
  if (deps.callbacks.onRemove) {
    // A removal that supersedes this login after this read looks for sessions even later, and must find this one.
    await starting;
    const [supersession] = await deps.store.get([supersessionKey(deps, login)]);
    if (isSuperseded(login, supersession)) throw new DoorcodeError("no_transaction");
  }
  await supersedeOthers(deps, login);
}

/** Releases a transaction whose code was right, so that the same code can finish it. */
async function leaveUnfinished(
  deps: LoginDeps,
  lease: HeldLease,
  { transaction, code }: OpenTransaction,
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
