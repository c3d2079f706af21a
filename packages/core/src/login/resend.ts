import { DoorcodeError } from "../errors.ts";
import { giveBack, reserve } from "./limits.ts";
import type { LoginParts } from "./login.ts";
import { isEndedFor, readPhoneEnd } from "./phone-end.ts";
import { orderChannels } from "./policy.ts";
import { sendCode, surelyFailed } from "./send-code.ts";
import { expiryOf, type Purpose, type Transaction } from "./transaction.ts";

/** Which transaction, and by which channel this time. */
export interface ResendRequest {
  readonly purpose: Purpose;
  readonly id: string | undefined;
  readonly channel: string | undefined;
}

/**
 * Sends another code in the same transaction. Only the newest is right from then on; attempts and failures go on
 * counting where they stood. When the service surely refused, the code before it stays right.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `transaction_busy`, `channel_not_allowed`,
 * `cooldown`, `send_limit_reached`, `send_failed`, `service_unavailable`, `service_rate_limited` or `store_unavailable`
 */
export async function resend(login: LoginParts, { purpose, id, channel }: ResendRequest): Promise<Transaction> {
  const { transactions, codes } = login;
  if (id === undefined) throw new DoorcodeError("no_transaction");
  const channels = orderChannels(codes.channels, channel);
  const key = transactions.keyOf(id);
  const seen = await readOpen(login, key, purpose);

  const budgets = login.budgets.send(login.keys.fingerprint(seen.phone));
  await reserve(login.store, budgets);
  const issued = codes.issue({ transactionKey: key, phone: seen.phone, purpose });
  // Written before the code leaves, and not held meanwhile: a confirmation under way must not wait for a slow send.
  const renewed = await transactions
    .change(key, seen, (current) => ({ ...renew(login, current), ...issued.remembered }))
    .catch(async (error: unknown) => {
      await giveBack(login.store, budgets);
      throw error;
    });
  // Another resend may have come in between; then the newest code is its code.
  const ifNewest = (next: (current: Transaction) => Transaction) =>
    transactions.change(key, seen, (current) => (current.issue === renewed.issue ? next(current) : current));
  try {
    const verificationId = await sendCode(login, renewed, budgets, () => issued.send(channels));
    return await ifNewest((current) => ({ ...current, verificationId }));
  } catch (error) {
    if (surelyFailed(error)) await ifNewest((current) => withCodeOf(seen, current));
    throw error;
  }
}

/** The transaction with the times of a code that is sent now. */
function renew({ clock, codes, cooldownSeconds }: LoginParts, current: Transaction): Transaction {
  const now = clock.now();
  return {
    ...current,
    issue: current.issue + 1,
    expiresAt: expiryOf(current.createdAt, now, codes.lifetimeSeconds),
    resendAt: now + cooldownSeconds * 1000,
  };
}

/**
 * Reads a transaction that still waits for a code: one whose code was found right only waits to be finished, one whose
 * attempts are used up takes no code any more, and one whose number logged in elsewhere is over.
 */
async function readOpen(login: LoginParts, key: string, purpose: Purpose): Promise<Transaction> {
  const { store, transactions } = login;
  const budget = login.budgets.attempt(key);
  const [[stored, approved], [counted]] = await Promise.all([
    store.get([key, transactions.approvalKeyOf(key)]),
    store.increment([{ ...budget, by: 0 }]),
  ]);
  const transaction = transactions.read(stored, purpose);
  if (!transaction || approved !== undefined) throw new DoorcodeError("no_transaction");
  if ((counted?.count ?? 0) >= budget.limit)
    throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  const end = await readPhoneEnd(login, login.keys.fingerprint(transaction.phone));
  if (isEndedFor(transaction, end)) throw new DoorcodeError("no_transaction");
  return transaction;
}

/** The transaction as it stands, with the code that it had before. */
function withCodeOf({ digest, expiresAt, resendAt }: Transaction, current: Transaction): Transaction {
  return { ...current, digest, expiresAt, resendAt };
}
