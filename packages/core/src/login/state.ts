import { maskPhone } from "../phone-number.ts";
import type { DeliveryState } from "../webhook/delivery-state.ts";
import { verificationEntityKey } from "../webhook/entity.ts";
import { readDelivery } from "../webhook/order.ts";
import type { LoginParts } from "./login.ts";
import { isEndedFor, parsePhoneEnd, phoneEndKey } from "./phone-end.ts";
import { type Purpose, type Transaction, tagOf } from "./transaction.ts";

/** How far the newest code got on its way, as the service's webhooks tell it. */
export type CodeDelivery = Pick<DeliveryState, "status" | "channel" | "attempts">;

/** A code is out and waits to be typed in. */
export interface CodeSentState {
  readonly status: "code_sent";
  /** A short public name: sent back with a code, it tells apart the logins of two tabs. */
  readonly transaction: string;
  /** Masked. */
  readonly phone: string;
  readonly expiresInSeconds: number;
  readonly resendInSeconds: number;
  readonly attemptsLeft: number;
  /** `null` when the service's codes may have several lengths. */
  readonly codeLength: number | null;
  /** `null` until a webhook told something, and in the answer to a start. */
  readonly delivery: CodeDelivery | null;
}

/** Finds the login that a browser has under way; `undefined` when no code would finish it any more. */
export async function readCodeSent(
  login: LoginParts,
  purpose: Purpose,
  id: string | undefined,
): Promise<CodeSentState | undefined> {
  if (id === undefined) return undefined;
  const { store, transactions, keys } = login;
  const key = transactions.keyOf(id);
  const budget = login.budgets.attempt(key);
  const [[stored, approved], [counted]] = await Promise.all([
    store.get([key, transactions.approvalKeyOf(key)]),
    store.increment([{ ...budget, by: 0 }]),
  ]);
  const transaction = transactions.read(stored, purpose);
  const attemptsLeft = Math.max(0, budget.limit - (counted?.count ?? 0));
  if (!transaction || (attemptsLeft === 0 && approved === undefined)) return undefined;

  const { phone, verificationId } = transaction;
  const endKey = phoneEndKey(login, keys.fingerprint(phone));
  // Webhooks write under the service's id, known to a login or not, so one that came early is found.
  const deliveryKeys = verificationId === undefined ? [] : [verificationEntityKey(login.name, verificationId)];
  const [end, told] = await store.get([endKey, ...deliveryKeys]);
  if (isEndedFor(transaction, parsePhoneEnd(end))) return undefined;
  return describeCodeSent(login, id, transaction, attemptsLeft, parseCodeDelivery(told));
}

/**
 * Describes a transaction whose code has just been sent. Nothing has been tried yet, and of the delivery nothing is
 * read: what an early webhook told is found by whoever asks next.
 */
export function describeStarted(login: LoginParts, id: string, transaction: Transaction): CodeSentState {
  const { limit } = login.budgets.attempt(login.transactions.keyOf(id));
  return describeCodeSent(login, id, transaction, limit, null);
}

function describeCodeSent(
  { clock, codes }: LoginParts,
  id: string,
  { phone, expiresAt, resendAt }: Transaction,
  attemptsLeft: number,
  delivery: CodeDelivery | null,
): CodeSentState {
  const { fewest, most } = codes.digits;
  return {
    status: "code_sent",
    transaction: tagOf(id),
    phone: maskPhone(phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    attemptsLeft,
    codeLength: fewest === most ? most : null,
    delivery,
  };
}

function parseCodeDelivery(told: string | undefined): CodeDelivery | null {
  const delivery = readDelivery(told);
  return delivery ? { status: delivery.status, channel: delivery.channel, attempts: delivery.attempts } : null;
}

function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}
