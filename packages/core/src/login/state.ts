import { maskPhone } from "../phone-number.ts";
import type { DeliveryState } from "../webhook/delivery-state.ts";
import { verificationEntityKey } from "../webhook/entity.ts";
import { readDelivery } from "../webhook/order.ts";
import type { LoginParts } from "./login.ts";
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
  /** `null` until a webhook told something. */
  readonly delivery: CodeDelivery | null;
}

/** Finds the login that a browser has under way: the transaction with what is left of it, or `undefined`. */
export async function readCodeSent(
  login: LoginParts,
  purpose: Purpose,
  id: string | undefined,
): Promise<CodeSentState | undefined> {
  if (id === undefined) return undefined;
  const key = login.transactions.keyOf(id);
  const budget = login.budgets.attempt(key);
  const [[stored], [counted]] = await Promise.all([
    login.store.get([key]),
    login.store.increment([{ ...budget, by: 0 }]),
  ]);
  const transaction = login.transactions.read(stored, purpose);
  if (!transaction) return undefined;
  return describe(login, id, transaction, budget.limit - (counted?.count ?? 0));
}

/** Describes a transaction to its browser. Its delivery is read from what the webhooks wrote, early ones too. */
async function describe(
  { store, clock, codes, name }: LoginParts,
  id: string,
  transaction: Transaction,
  attemptsLeft: number,
): Promise<CodeSentState> {
  const { verificationId, phone, expiresAt, resendAt } = transaction;
  const [told] = verificationId === undefined ? [] : await store.get([verificationEntityKey(name, verificationId)]);
  const { fewest, most } = codes.digits;
  return {
    status: "code_sent",
    transaction: tagOf(id),
    phone: maskPhone(phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    attemptsLeft: Math.max(0, attemptsLeft),
    codeLength: fewest === most ? most : null,
    delivery: describeDelivery(told),
  };
}

function describeDelivery(told: string | undefined): CodeDelivery | null {
  const delivery = readDelivery(told);
  if (!delivery) return null;
  const { status, channel, attempts } = delivery;
  return { status, channel, attempts };
}

function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}
