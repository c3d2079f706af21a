import type { AcceptedCode } from "../codes/code-strategy.ts";
import { giveBackCode } from "../limits/send-limits.ts";
import { allowPhone, channelsFor } from "../phone/allowed-numbers.ts";
import { parseE164 } from "../phone/phone-number.ts";
import { DoorcodeError } from "../util/errors.ts";
import { assertSameAccount, type RequestSessions } from "./account.ts";
import { readAttempts } from "./attempts.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type AllowedCode, type Asker, allowSend, nextCode, sendCode, surelyFailed } from "./send.ts";
import {
  isSuperseded,
  loadTransaction,
  type NamedTransaction,
  type NewestCode,
  type OpenTransaction,
  outliveTransactionSeconds,
  supersessionKey,
  writeNewestCode,
} from "./transaction.ts";

/** A request for another code. */
export interface ResendRequest extends NamedTransaction {
  /** The channel for this code; the other channels stay as fallbacks. */
  readonly channel: string | undefined;
  readonly sessions: RequestSessions;
  readonly asker: Asker;
}

/**
 * Sends a code again in the same transaction; attempts and failures go on counting. The app's codes are the same again for half of their
 * longest life, so a text that comes late is right. Other codes are new ones, and then only the new code is right. If the service surely
 * refused the send, the code before it stays right.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `code_expired`, `attempts_exhausted`, `session_changed`, `country_not_allowed`,
 * `number_type_not_allowed`, `channel_not_allowed`, `cooldown`, `send_limit_reached`, `number_range_closed`, `client_limit_reached`,
 * `hourly_ceiling_reached`, `daily_ceiling_reached`, `cost_ceiling_reached`, `challenge_required`, `send_denied`, `send_undecided`,
 * `send_failed`, `service_unavailable`, `service_rate_limited` or `store_unavailable`
 */
export async function resend(deps: LoginDeps, request: ResendRequest): Promise<void> {
  const { sessions, asker } = request;
  // Step 1: the login still waits for a code, in the session that started it.
  const seen = await loadWaiting(deps, request);
  const login = seen.transaction;
  await assertSameAccount(deps, login, sessions);
  const number = allowPhone(parseE164(login.phone), deps.countries);
  const channels = channelsFor(deps.channels, number, request.channel);
  // Step 2: the limits reserve the code, and the app decides about it.
  const allowed = await allowSend(deps, { asker, login, number, channels, before: seen.code });
  // Step 3: the code is stored before it is sent: a code of the app is right when its text arrives. The service's id
  // stays that of the code before, which is right until the service has accepted another one.
  const { before, open } = await renewCode(deps, request, seen.key, allowed, channels).catch(async (error: unknown) => {
    await Promise.allSettled([giveBackCode(deps, allowed)]);
    throw error;
  });
  // Step 4: the code is sent. If it surely was not, the code before it is the newest one again. If it may have been, the
  // service's id is still that of the code before, which is right for no longer than it was. That may be the code of
  // another resend, which was accepted meanwhile.
  const accepted = await sendCode(deps, open, channels, allowed).catch(async (error: unknown) => {
    const { codeSentAt, expiresAt } = deps.codes.answersOnce ? before : open.code;
    const newest = surelyFailed(error) ? before : { ...open.code, codeSentAt, expiresAt };
    await replaceCode(deps, request, (current) =>
      current.sends === open.code.sends ? { ...newest, ...acceptedOf(current) } : undefined,
    );
    throw error;
  });
  // Step 5: the service's id of the code is stored. If a later resend has stored its code and is not accepted yet, the id
  // stands beside that code.
  await replaceCode(deps, request, (current) => {
    if (current.sends <= open.code.sends) return { ...open.code, ...acceptedOf(accepted) };
    const isAccepted = current.verificationId !== open.code.verificationId || current.messageId !== open.code.messageId;
    return isAccepted ? undefined : { ...current, ...acceptedOf(accepted) };
  });
}

function acceptedOf({ verificationId, messageId }: AcceptedCode): AcceptedCode {
  return { verificationId, messageId };
}

/** Loads a transaction that still waits for a code: not one that was approved, used up, or superseded. */
async function loadWaiting(deps: LoginDeps, request: NamedTransaction): Promise<OpenTransaction> {
  const open = await loadTransaction(deps, request);
  if (open.approvedDigest !== undefined) throw new DoorcodeError("no_transaction");
  const [[supersession], { attemptsLeft }] = await Promise.all([
    deps.store.get([supersessionKey(deps, open.transaction)]),
    readAttempts(deps, open),
  ]);
  if (attemptsLeft === 0) throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft } });
  if (isSuperseded(open.transaction, supersession)) throw new DoorcodeError("no_transaction");
  return open;
}

/** Stores the code that is sent next. The transaction is loaded again, because the app may have taken its time. */
async function renewCode(
  deps: LoginDeps,
  request: NamedTransaction,
  key: string,
  allowed: AllowedCode,
  channels: readonly string[],
): Promise<{ readonly before: NewestCode; readonly open: OpenTransaction }> {
  // Two resends at the same time get two numbers.
  const resend = { key: `${key}:resends`, by: 1, ttlSeconds: outliveTransactionSeconds };
  const [resends] = await deps.store.increment([resend]);
  const current = await loadTransaction(deps, request);
  const sends = 1 + (resends?.count ?? 0);
  const code = { ...nextCode(deps, current.transaction, allowed, channels, current.code), sends };
  await writeNewestCode(deps, key, code);
  return { before: current.code, open: { ...current, code } };
}

/** Replaces the newest code by the one that `replace` returns, if it returns one. */
async function replaceCode(
  deps: LoginDeps,
  request: NamedTransaction,
  replace: (current: NewestCode) => NewestCode | undefined,
): Promise<void> {
  const { key, code } = await loadTransaction(deps, request);
  const next = replace(code);
  if (next) await writeNewestCode(deps, key, next);
}
