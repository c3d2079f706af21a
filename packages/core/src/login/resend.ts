import { maxCodeSeconds } from "../codes/code-strategy.ts";
import { parseE164 } from "../phone/phone-number.ts";
import { allowPhone, channelsFor } from "../phone/policy.ts";
import { DoorcodeError } from "../util/errors.ts";
import { rememberCodeMessage } from "../webhooks/code-messages.ts";
import { assertSameAccount } from "./account.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type AskedCode, type Asker, isTentative, type PermittedCode, permitSend } from "./permit-send.ts";
import type { RequestSessions } from "./request-sessions.ts";
import { sendCode, surelyFailed } from "./send-code.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { expiryOf, type LoginTransaction } from "./transaction.ts";
import {
  changeTransaction,
  loadTransaction,
  type NamedTransaction,
  type OpenTransaction,
  refuseAbsent,
} from "./transaction-store.ts";

/** A request for another code. */
export interface ResendRequest extends NamedTransaction {
  /** The channel for this code; the other channels stay as fallbacks. */
  readonly channel: string | undefined;
  readonly sessions: RequestSessions;
  readonly asker: Asker;
}

/**
 * Sends a code again in the same transaction. Attempts and failures go on counting.
 *
 * The app's codes are the same again for half of their longest life, so a text that comes late is right. Otherwise the code
 * is a new one, and from then on only the new one is right. If the service surely refused the send, the code before it stays
 * right.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `code_expired`, `attempts_exhausted`, `session_changed`,
 * `transaction_busy`, `country_not_allowed`, `number_type_not_allowed`, `channel_not_allowed`, `cooldown`,
 * `send_limit_reached`, `number_range_closed`, `client_limit_reached`, `hourly_ceiling_reached`, `daily_ceiling_reached`, `cost_ceiling_reached`, `challenge_required`, `send_denied`, `send_undecided`, `send_failed`, `service_unavailable`,
 * `service_rate_limited` or `store_unavailable`
 */
export async function resend(deps: LoginDeps, request: ResendRequest): Promise<LoginTransaction> {
  const open = await loadWaiting(deps, request);
  const { key, transaction: seen } = open;
  await assertSameAccount(deps, seen, request.sessions);
  const number = allowPhone(parseE164(seen.phone), deps.countries);
  const channels = channelsFor(deps, number, request.channel);
  const permitted = await permitAgain(deps, seen, { asker: request.asker, number, channels });
  // Written before the code is sent, and not leased during the send: a confirmation must not wait for a slow send.
  const renewed = await changeTransaction(deps, open, (current) => renew(deps, current, permitted)).catch(
    async (error: unknown) => {
      await permitted.giveBack();
      throw error;
    },
  );
  // If another resend came in between, its code is the newest and this one changes nothing.
  const ifNewest = (change: (current: LoginTransaction) => LoginTransaction) =>
    changeTransaction(deps, open, (current) => (current.sends === renewed.sends ? change(current) : current));
  try {
    const { verificationId, messageId } = await sendCode(deps, { key, transaction: renewed }, channels, permitted);
    const [sent] = await Promise.all([
      ifNewest((current) => ({ ...current, verificationId, messageId })),
      rememberCodeMessage(deps, { phone: renewed.phone, messageId }),
    ]);
    return sent;
  } catch (error) {
    if (surelyFailed(error)) await ifNewest((current) => withCodeOf(seen, current));
    throw error;
  }
}

/** Asks the limits and the app whether another code may be sent. */
async function permitAgain(
  deps: LoginDeps,
  transaction: LoginTransaction,
  asked: Pick<AskedCode, "asker" | "number" | "channels">,
): Promise<PermittedCode> {
  const { phone, counted, sends } = transaction;
  // The first code is still being sent.
  if (!counted) throw new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
  const login = { counted, sends, client: asked.asker.client };
  const limited = await deps.sendLimits.reserveAgain(phone, login, isTentative(deps));
  const permitted = await permitSend(deps, limited, { ...asked, transaction, resend: true });
  if (!("refusal" in permitted)) return permitted;
  await permitted.undo();
  throw permitted.refusal;
}

/** Loads a transaction that still waits for a code: not one that was approved, used up, or superseded. */
async function loadWaiting(deps: LoginDeps, request: NamedTransaction): Promise<OpenTransaction> {
  const open = await loadTransaction(deps, request, 0);
  if ("absent" in open) throw refuseAbsent(open.absent);
  if (open.approvedDigest !== undefined) throw new DoorcodeError("no_transaction");
  if (open.attemptsLeft === 0) throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  const [mark] = await deps.store.get([supersessionKey(deps, open.transaction)]);
  if (isSuperseded(open.transaction, mark)) throw new DoorcodeError("no_transaction");
  return open;
}

/** Returns the transaction with the code that is sent now: the same one again, or a new one. */
function renew(
  { clock, codes }: LoginDeps,
  current: LoginTransaction,
  { cooldownSeconds, isSuppressed, counted }: PermittedCode,
): LoginTransaction {
  const now = clock.now();
  const isSameCode = codes.repeatsCodes && now - current.codeSentAt < (maxCodeSeconds / 2) * 1000;
  const code = isSameCode ? current : { codeNumber: current.codeNumber + 1, codeSentAt: now };
  const { codeNumber, codeSentAt } = code;
  return {
    ...current,
    // A login of which one code was suppressed stays so, because a code of the app may be in both texts.
    isSuppressed: current.isSuppressed || isSuppressed,
    sends: current.sends + 1,
    codeNumber,
    codeSentAt,
    expiresAt: expiryOf({ createdAt: current.createdAt, codeSentAt }, now, codes.lifetimeSeconds),
    resendAt: now + cooldownSeconds * 1000,
    counted,
  };
}

/** Returns the current transaction with the code that it had before. */
function withCodeOf(
  { codeNumber, codeSentAt, expiresAt, resendAt, counted }: LoginTransaction,
  current: LoginTransaction,
): LoginTransaction {
  return { ...current, codeNumber, codeSentAt, expiresAt, resendAt, counted };
}
