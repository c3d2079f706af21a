import { DoorcodeError } from "../primitives/errors.ts";
import { giveBack, reserve, sendBudgets } from "./budgets.ts";
import type { LoginDeps } from "./login-deps.ts";
import { orderChannels } from "./policy.ts";
import { sendCode, surelyFailed } from "./send-code.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { expiryOf, type LoginTransaction } from "./transaction.ts";
import {
  changeTransaction,
  loadTransaction,
  type NamedTransaction,
  type OpenTransaction,
} from "./transaction-store.ts";

/** A request for another code. */
export interface ResendRequest extends NamedTransaction {
  /** The channel for this code; the other channels stay as fallbacks. */
  readonly channel: string | undefined;
}

/**
 * Sends another code in the same transaction. From then on only the newest code is right; attempts and failures go on
 * counting. If the service surely refused the send, the code before it stays right.
 *
 * @throws {@link DoorcodeError} `no_transaction`, `attempts_exhausted`, `transaction_busy`, `channel_not_allowed`,
 * `cooldown`, `send_limit_reached`, `send_failed`, `service_unavailable`, `service_rate_limited` or `store_unavailable`
 */
export async function resend(deps: LoginDeps, request: ResendRequest): Promise<LoginTransaction> {
  const { store, keys, codes } = deps;
  if (request.id === undefined) throw new DoorcodeError("no_transaction");
  const channels = orderChannels(codes.channels, request.channel);
  const open = await loadWaiting(deps, request);
  const { key, transaction: seen } = open;

  const budgets = sendBudgets(deps, keys.fingerprint(seen.phone));
  await reserve(store, budgets);
  const issued = codes.issue({ transactionKey: key, phone: seen.phone, purpose: seen.purpose });
  // Written before the code is sent, and not leased during the send: a confirmation must not wait for a slow send.
  const renewed = await changeTransaction(deps, open, (current) => ({
    ...renew(deps, current),
    ...issued.remembered,
  })).catch(async (error: unknown) => {
    await giveBack(store, budgets);
    throw error;
  });
  // If another resend came in between, its code is the newest and this one changes nothing.
  const ifNewest = (change: (current: LoginTransaction) => LoginTransaction) =>
    changeTransaction(deps, open, (current) => (current.issue === renewed.issue ? change(current) : current));
  try {
    const verificationId = await sendCode(deps, renewed, budgets, () => issued.send(channels));
    return await ifNewest((current) => ({ ...current, verificationId }));
  } catch (error) {
    if (surelyFailed(error)) await ifNewest((current) => withCodeOf(seen, current));
    throw error;
  }
}

/** Loads a transaction that still waits for a code: not one that was approved, used up, or superseded. */
async function loadWaiting(deps: LoginDeps, request: NamedTransaction): Promise<OpenTransaction> {
  const open = await loadTransaction(deps, request, 0);
  if (!open || open.approvedDigest !== undefined) throw new DoorcodeError("no_transaction");
  if (open.attemptsLeft === 0) throw new DoorcodeError("attempts_exhausted", { members: { attemptsLeft: 0 } });
  const [mark] = await deps.store.get([supersessionKey(deps, open.transaction)]);
  if (isSuperseded(open.transaction, mark)) throw new DoorcodeError("no_transaction");
  return open;
}

/** Returns the transaction with the times of a code that is sent now. */
function renew({ clock, codes, limits }: LoginDeps, current: LoginTransaction): LoginTransaction {
  const now = clock.now();
  return {
    ...current,
    issue: current.issue + 1,
    expiresAt: expiryOf(current.createdAt, now, codes.lifetimeSeconds),
    resendAt: now + limits.cooldownSeconds * 1000,
  };
}

/** Returns the current transaction with the code that it had before. */
function withCodeOf({ digest, expiresAt, resendAt }: LoginTransaction, current: LoginTransaction): LoginTransaction {
  return { ...current, digest, expiresAt, resendAt };
}
