import { DoorcodeError, isDoorcodeError } from "../errors.ts";
import { reserve } from "./limits.ts";
import type { LoginParts } from "./login.ts";
import { orderChannels } from "./policy.ts";
import { sendCode } from "./send-code.ts";
import { expiryOf, type HeldTransaction, type Purpose, type Transaction } from "./transaction.ts";

/** Which transaction, and by which channel this time. */
export interface ResendRequest {
  readonly purpose: Purpose;
  readonly id: string | undefined;
  readonly channel: string | undefined;
}

const limitSeconds = 45;

/**
 * Sends another code in the same transaction. Only the newest is right from then on; attempts and failures go on
 * counting where they stood. When the service surely refused, the code before it stays right.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `transaction_busy`, `channel_not_allowed`, `cooldown`,
 * `send_limit_reached`, `send_failed`, `service_unavailable`, `service_rate_limited` or `store_unavailable`
 */
export async function resend(login: LoginParts, { purpose, id, channel }: ResendRequest): Promise<Transaction> {
  const { store, codes, transactions } = login;
  if (id === undefined) throw new DoorcodeError("no_transaction");
  const channels = orderChannels(codes.channels, channel);
  const key = transactions.keyOf(id);
  const [stored] = await store.get([key]);
  const seen = transactions.read(stored, purpose);
  if (!seen) throw new DoorcodeError("no_transaction");

  const held = await transactions.hold(key, seen);
  return held.during(limitSeconds, () => replaceCode(login, key, held, channels));
}

async function replaceCode(
  login: LoginParts,
  key: string,
  held: HeldTransaction,
  channels: readonly string[],
): Promise<Transaction> {
  const { clock, codes, keys, budgets } = login;
  const before = held.transaction;
  let stands = before;
  try {
    // A code that was found right only waits to be sent once more: no other can finish this login.
    if (before.approved) throw new DoorcodeError("no_transaction");
    const reservation = await reserve(login.store, budgets.send(keys.fingerprint(before.phone)));
    const issued = codes.issue({ transactionKey: key, phone: before.phone, purpose: before.purpose });
    const now = clock.now();
    const renewed: Transaction = {
      ...before,
      ...issued.remembered,
      expiresAt: expiryOf(before.createdAt, now, codes.lifetimeSeconds),
      resendAt: now + login.cooldownSeconds * 1000,
    };
    if (!(await held.save(renewed))) throw busy();
    stands = renewed;
    const verificationId = await sendCode(login, renewed, reservation, () => issued.send(channels));
    stands = { ...renewed, verificationId };
  } catch (error) {
    if (isDoorcodeError(error) && error.code === "send_failed") stands = before;
    await held.release(stands);
    throw error;
  }
  if (!(await held.release(stands))) throw busy();
  return stands;
}

function busy(): DoorcodeError {
  return new DoorcodeError("transaction_busy", { retryAfterSeconds: 1 });
}
