import { maskPhone } from "../primitives/phone-number.ts";
import type { DeliveryState } from "../webhook/delivery-state.ts";
import { verificationEntityKey } from "../webhook/entity.ts";
import { readDelivery } from "../webhook/order.ts";
import type { LoginDeps } from "./login-deps.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { type LoginTransaction, tagOf } from "./transaction.ts";
import { loadTransaction, type NamedTransaction } from "./transaction-store.ts";

/** The delivery of the newest code, as the service's webhooks report it. */
export type CodeDelivery = Pick<DeliveryState, "status" | "channel" | "attempts">;

/** The state of a login whose code was sent and not yet confirmed. */
export interface CodeSentState {
  readonly status: "code_sent";
  /** A short public name of the login. A page sends it back with a code, so that two tabs are not mixed up. */
  readonly transaction: string;
  /** The number, masked. */
  readonly phone: string;
  /** The time left to enter the code. */
  readonly expiresInSeconds: number;
  /** The time until another code may be sent; 0 when it may be sent now. */
  readonly resendInSeconds: number;
  readonly attemptsLeft: number;
  /** The time until another code may be tried; 0 when it may be tried now. */
  readonly checkInSeconds: number;
  /** The number of digits; `null` when the service's codes may have several lengths. */
  readonly codeLength: number | null;
  /**
   * `null` until a webhook has reported something, in the answer to a start, and with `login.beforeSend`: a code that was
   * suppressed has no delivery.
   */
  readonly delivery: CodeDelivery | null;
}

/** A login under way, and its state. */
export interface LoginUnderWay {
  readonly transaction: LoginTransaction;
  readonly state: CodeSentState;
}

/**
 * Reads the login that a browser has under way; `undefined` when no code would complete it any more.
 *
 * Show a link or a step-up only to the session that it belongs to: `belongsTo` tells.
 */
export async function readUnderWay(deps: LoginDeps, named: NamedTransaction): Promise<LoginUnderWay | undefined> {
  const open = await loadTransaction(deps, named, 0);
  if ("absent" in open || named.id === undefined) return undefined;
  const { transaction, attemptsLeft, checkInSeconds } = open;
  if (attemptsLeft === 0) return undefined;

  // Webhooks write under the service's id, whether a login knows it yet or not, so an early one is found.
  const { verificationId } = transaction;
  const showsDelivery = verificationId !== undefined && !deps.callbacks.beforeSend;
  const deliveryKeys = !showsDelivery ? [] : [verificationEntityKey(deps.name, verificationId)];
  const [mark, delivery] = await deps.store.get([supersessionKey(deps, transaction), ...deliveryKeys]);
  if (isSuperseded(transaction, mark)) return undefined;
  const state = describe(deps, named.id, transaction, { attemptsLeft, checkInSeconds });
  return { transaction, state: { ...state, delivery: parseDelivery(delivery) } };
}

/** Describes a login that was just started: nothing was tried yet, and no delivery is read. */
export function describeStarted(deps: LoginDeps, id: string, transaction: LoginTransaction): CodeSentState {
  return describe(deps, id, transaction, { attemptsLeft: deps.limits.attemptsPerTransaction, checkInSeconds: 0 });
}

function describe(
  { clock, codes: { digits } }: LoginDeps,
  id: string,
  { phone, expiresAt, resendAt, codeLength }: LoginTransaction,
  attempts: Pick<CodeSentState, "attemptsLeft" | "checkInSeconds">,
): CodeSentState {
  return {
    status: "code_sent",
    transaction: tagOf(id),
    phone: maskPhone(phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    ...attempts,
    codeLength: codeLength ?? (digits.min === digits.max ? digits.max : null),
    delivery: null,
  };
}

function parseDelivery(stored: string | undefined): CodeDelivery | null {
  const delivery = readDelivery(stored);
  return delivery ? { status: delivery.status, channel: delivery.channel, attempts: delivery.attempts } : null;
}

function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}
