import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { type Attempt, type ConfirmRequest, reserveAttempt } from "./attempt.ts";
import { type CodeVerdict, digestParts } from "./code-strategy.ts";
import { finish } from "./finish.ts";
import type { LoginParts, StartedSession } from "./login.ts";
import { tracePhone } from "./send-code.ts";

/** A login that came to its end: who it is, and the session that was started for it. */
export interface ConfirmedLogin {
  readonly userId: string;
  readonly session: StartedSession;
}

/**
 * Confirms a login: reserves an attempt, has the code judged, and finishes at most once.
 *
 * Whatever runs in parallel, a transaction logs in once. A login that was approved but not finished is finished by the
 * same code, without asking the service again.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `too_many_failures`, `session_changed`,
 * `code_rejected`, `transaction_busy`, `login_unfinished`, `login_refused`, `login_superseded`, `service_unavailable`,
 * `service_rate_limited` or `store_unavailable`
 * @see "Confirmation request and response" of the specification
 */
export async function confirm(login: LoginParts, request: ConfirmRequest): Promise<ConfirmedLogin> {
  const attempt = await reserveAttempt(login, request);
  const verdict = await judge(login, attempt, request.code);
  if (verdict === "right") return finish(login, request, attempt);
  if (verdict === "ended") throw new DoorcodeError("no_transaction");
  if (verdict === "exhausted") throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });

  const { transaction, attemptsLeft } = attempt;
  const trace = tracePhone(login, transaction.phone);
  login.publish({ type: "login.code_rejected", loginId: transaction.loginId, attemptsLeft, ...trace });
  throw new DoorcodeError("code_rejected", { members: { attemptsLeft } });
}

/** Asks whoever owns the code, unless the transaction remembers the answer. */
async function judge(login: LoginParts, attempt: Attempt, code: string): Promise<CodeVerdict> {
  const { transaction, subject } = attempt;
  const parts = digestParts(subject, code);
  if (transaction.approved) return login.keys.matches(parts, transaction.approved) ? "right" : "wrong";

  const verdict = await login.codes.check(code, subject, transaction).catch(sayTryAgain);
  if (verdict === "right" || !login.codes.answersOnce) return verdict;

  // A double click: the first request used the code up, and the second is refused for it.
  const [stored] = await login.store.get([attempt.key]);
  const approved = login.transactions.read(stored, transaction.purpose)?.approved;
  return approved && login.keys.matches(parts, approved) ? "right" : verdict;
}

/** A service that could not judge said nothing about the code: the attempt is used, the same code may be right. */
function sayTryAgain(error: unknown): never {
  if (!isDoorcodeError(error) || error.code === "store_unavailable") throw error;
  const code = error.code === "service_rate_limited" ? error.code : "service_unavailable";
  throw new DoorcodeError(code, { retryAfterSeconds: error.retryAfterSeconds ?? 2, cause: error });
}
