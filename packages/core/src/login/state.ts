import { hash } from "node:crypto";
import { maskPhone } from "../phone/phone-number.ts";
import { messageEntityKey, readDelivery, verificationEntityKey } from "../webhooks/entity-record.ts";
import { readAttempts } from "./code-attempt.ts";
import { type CodeDelivery, describeDelivery } from "./code-delivery.ts";
import type { LoginDeps } from "./login-deps.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { endOf, type LoginTransaction, type NewestCode, tagOf } from "./transaction.ts";
import { loadTransaction, type NamedTransaction, type OpenTransaction } from "./transaction-store.ts";

/** The state of a login whose code was sent and not yet confirmed. */
export interface CodeSentState {
  readonly status: "code_sent";
  /** Another text when anything else here is another one, except for seconds that pass. */
  readonly version: string;
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
   * `null` until a webhook has reported something, in the answer to a start, and if `login.beforeSend` may suppress
   * codes: a suppressed code has no delivery.
   */
  readonly delivery: CodeDelivery | null;
}

/** An open login, and its state. */
export interface LoginUnderWay {
  readonly transaction: LoginTransaction;
  readonly state: CodeSentState;
  /** The keys in the store under which its changes are announced. */
  readonly topics: readonly string[];
}

/**
 * Reads the open login of a browser; `undefined` when no code would complete it any more.
 *
 * Show a link or a step-up only to the session that it belongs to: `belongsTo` tells.
 */
export async function readUnderWay(deps: LoginDeps, named: NamedTransaction): Promise<LoginUnderWay | undefined> {
  const open = await loadTransaction(deps, named);
  if ("absent" in open || named.id === undefined) return undefined;
  const { key, transaction, code } = open;
  // Webhooks write under the service's id, whether a login knows it yet or not, so an early one is found.
  const deliveryKeys = deps.suppresses ? [] : deliveryKeysOf(deps.name, code);
  const keys = [supersessionKey(deps, transaction), ...deliveryKeys];
  const [[supersession, delivery], attempts] = await Promise.all([deps.store.get(keys), readAttempts(deps, open)]);
  if (isSuperseded(transaction, supersession) || attempts.attemptsLeft === 0) return undefined;
  const state = describe(deps, named.id, open, { ...attempts, delivery: parseDelivery(delivery) });
  return { transaction, state, topics: [key, ...keys] };
}

/** Describes a login that was just started: nothing was tried yet, and no delivery is read. */
export function describeStarted(deps: LoginDeps, id: string, open: OpenTransaction): CodeSentState {
  const attemptsLeft = deps.limits.attemptsPerTransaction;
  return describe(deps, id, open, { attemptsLeft, checkInSeconds: 0, delivery: null });
}

function describe(
  { clock, codes: { digits }, suppresses }: LoginDeps,
  id: string,
  { transaction, code }: OpenTransaction,
  reported: Pick<CodeSentState, "attemptsLeft" | "checkInSeconds" | "delivery">,
): CodeSentState {
  const { attemptsLeft, delivery } = reported;
  const { sends, resendAt, verificationId, messageId } = code;
  const tag = tagOf(id);
  const expiresAt = endOf(transaction, code);
  const codeLength = transaction.codeLength ?? (digits.min === digits.max ? digits.max : null);
  // A suppressed code has no verification and no message. The version must not show that.
  const sent = suppresses ? null : (verificationId ?? messageId);
  return {
    status: "code_sent",
    // The instants, and not the seconds until then. A pause between checks ends at an instant that an attempt has set.
    version: versionOf(tag, expiresAt, resendAt, attemptsLeft, sends, codeLength, delivery, sent),
    transaction: tag,
    phone: maskPhone(transaction.phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    codeLength,
    ...reported,
  };
}

/** Returns an opaque text that is another one as soon as a part is. It reveals nothing but that. */
export function versionOf(...parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 16);
}

/**
 * Returns the keys of what webhooks report the delivery of: a verification or a message, if the service has named one.
 */
function deliveryKeysOf(name: string, { verificationId, messageId }: NewestCode): readonly string[] {
  if (verificationId !== undefined) return [verificationEntityKey(name, verificationId)];
  return messageId === undefined ? [] : [messageEntityKey(name, messageId)];
}

function parseDelivery(stored: string | undefined): CodeDelivery | null {
  const delivery = readDelivery(stored);
  return delivery ? describeDelivery(delivery) : null;
}

function secondsUntil(instant: number, now: number): number {
  return Math.max(0, Math.ceil((instant - now) / 1000));
}
