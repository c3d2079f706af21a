import { randomUUID } from "node:crypto";
import { DoorcodeError } from "../errors.ts";
import { type Budget, giveBack, reserve } from "./limits.ts";
import type { CurrentSession, LoginParts } from "./login.ts";
import { admitPhone, orderChannels } from "./policy.ts";
import { sendCode } from "./send-code.ts";
import { expiryOf, newTransactionId, type Purpose, type Transaction } from "./transaction.ts";

/** What a browser asks for. A step-up takes its number from the account and ignores `phone`. */
export interface StartRequest {
  readonly purpose: Purpose;
  readonly phone: string | undefined;
  readonly country: string | undefined;
  readonly channel: string | undefined;
  readonly session: CurrentSession | undefined;
  /** The transaction that the browser had before; the last start wins. */
  readonly replaces: string | undefined;
}

/** A transaction and the id under which its browser finds it again. */
export interface StartedLogin {
  readonly id: string;
  readonly transaction: Transaction;
}

/**
 * Starts a login: admits the number, reserves its budgets, and sends one code.
 *
 * The transaction stands in the store before the code leaves, so a webhook or a fast finger finds it.
 *
 * @throws {@link DoorcodeError} `phone_invalid`, `country_not_allowed`, `number_type_not_allowed`,
 * `channel_not_allowed`, `login_required`, `cooldown`, `send_limit_reached`, `send_failed`, `service_unavailable`,
 * `service_rate_limited` or `store_unavailable`
 */
export async function start(login: LoginParts, request: StartRequest): Promise<StartedLogin> {
  const { codes, transactions } = login;
  const phone = await phoneToProve(login, request);
  const channels = orderChannels(codes.channels, request.channel);
  const budgets = login.budgets.send(login.keys.fingerprint(phone));
  const id = newTransactionId();
  const key = transactions.keyOf(id);
  const issued = codes.issue({ transactionKey: key, phone, purpose: request.purpose });
  const transaction = { ...newTransaction(login, request, phone), ...issued.remembered };
  await prepare(login, key, transaction, budgets);

  const verificationId = await sendCode(login, transaction, budgets, () => issued.send(channels));
  const sent = { ...transaction, verificationId };
  const replaced = request.replaces === undefined ? undefined : transactions.keyOf(request.replaces);
  await Promise.all([transactions.write(key, sent), replaced !== undefined && transactions.forget(replaced)]);
  return { id, transaction: sent };
}

/**
 * Reserves the budgets and writes the transaction, in one round trip. Both stand before the code leaves, and neither
 * needs the other: nobody knows the id of a transaction that is refused, so it opens nothing until it is dropped.
 */
async function prepare(
  { store, transactions }: LoginParts,
  key: string,
  transaction: Transaction,
  budgets: readonly Budget[],
): Promise<void> {
  const [reserved, written] = await Promise.allSettled([reserve(store, budgets), transactions.write(key, transaction)]);
  // Where the store fails at undoing, too, only something is left to expire.
  if (reserved.status === "rejected") {
    await Promise.allSettled([transactions.forget(key)]);
    throw reserved.reason;
  }
  if (written.status === "rejected") {
    await Promise.allSettled([transactions.forget(key), giveBack(store, budgets)]);
    throw written.reason;
  }
}

function newTransaction(login: LoginParts, { purpose, session }: StartRequest, phone: string): Transaction {
  const now = login.clock.now();
  return {
    loginId: randomUUID(),
    purpose,
    phone,
    createdAt: now,
    expiresAt: expiryOf(now, now, login.codes.lifetimeSeconds),
    resendAt: now + login.cooldownSeconds * 1000,
    issue: 1,
    ...(purpose !== "login" && session && { session: identityOf(session) }),
  };
}

/** What a session is told apart by; the rest of it does not belong into the store. */
function identityOf({ userId, sessionId }: CurrentSession): Transaction["session"] {
  return { userId, ...(sessionId !== undefined && { sessionId }) };
}

async function phoneToProve({ callbacks, countries }: LoginParts, request: StartRequest): Promise<string> {
  const { purpose, session, phone, country } = request;
  if (purpose !== "login" && !session) throw new DoorcodeError("login_required");
  if (purpose !== "step_up" || !session) {
    if (phone === undefined) throw new DoorcodeError("phone_invalid", { message: "`phone` is missing." });
    return admitPhone(phone, country, countries).e164;
  }

  const known = await callbacks.phoneOf?.(session.userId);
  if (!known) throw new DoorcodeError("phone_invalid", { message: "This account has no phone number." });
  return admitPhone(known, undefined, countries).e164;
}
