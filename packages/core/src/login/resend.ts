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
 * @throws {@link DoorcodeError} `no_transaction`, `transaction_busy`, `channel_not_allowed`, `cooldown`,
 * `send_limit_reached`, `send_failed`, `service_unavailable`, `service_rate_limited` or `store_unavailable`
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
  const issuedAt = login.clock.now();
  // Written before the code leaves, and not held meanwhile: a confirmation under way must not wait for a slow send.
  const renewed = await transactions
    .change(key, seen, (current) => ({
      ...current,
      ...issued.remembered,
      expiresAt: expiryOf(current.createdAt, issuedAt, codes.lifetimeSeconds),
      resendAt: issuedAt + login.cooldownSeconds * 1000,
    }))
    .catch(async (error: unknown) => {
      await giveBack(login.store, budgets);
      throw error;
    });
  try {
    const verificationId = await sendCode(login, renewed, budgets, () => issued.send(channels));
    return await transactions.change(key, seen, (current) => ({ ...current, verificationId }));
  } catch (error) {
    if (surelyFailed(error)) await transactions.change(key, seen, (current) => withCodeOf(seen, current));
    throw error;
  }
}

/**
 * Reads a transaction that still waits for a code: one whose code was found right only waits to be finished, and one
 * whose number logged in elsewhere is over.
 */
async function readOpen(login: LoginParts, key: string, purpose: Purpose): Promise<Transaction> {
  const [stored, approved] = await login.store.get([key, login.transactions.approvalKeyOf(key)]);
  const transaction = login.transactions.read(stored, purpose);
  if (!transaction || approved !== undefined) throw new DoorcodeError("no_transaction");
  const end = await readPhoneEnd(login, login.keys.fingerprint(transaction.phone));
  if (isEndedFor(transaction, end)) throw new DoorcodeError("no_transaction");
  return transaction;
}

/** The transaction as it stands, with the code that it had before. */
function withCodeOf({ digest, expiresAt, resendAt }: Transaction, current: Transaction): Transaction {
  return { ...current, digest, expiresAt, resendAt };
}
