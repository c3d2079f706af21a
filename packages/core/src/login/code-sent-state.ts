import { maskPhone } from "../phone/phone-number.ts";
import { messageEntityKey, readDelivery, verificationEntityKey } from "../webhooks/entity-record.ts";
import { type CodeDelivery, describeDelivery } from "./code-delivery.ts";
import type { LoginDeps } from "./login-deps.ts";
import { versionOf } from "./state-version.ts";
import { isSuperseded, supersessionKey } from "./superseded-logins.ts";
import { type LoginTransaction, tagOf } from "./transaction.ts";
import { loadTransaction, type NamedTransaction } from "./transaction-store.ts";

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
   * `null` until a webhook has reported something, in the answer to a start, and if `login.beforeSend` may suppress codes:
   * a suppressed code has no delivery.
   */
  readonly delivery: CodeDelivery | null;
}

/** A login under way, and its state. */
export interface LoginUnderWay {
  readonly transaction: LoginTransaction;
  readonly state: CodeSentState;
  /** The keys in the store under which its changes are announced. */
  readonly topics: readonly string[];
}

/**
 * Reads the login that a browser has under way; `undefined` when no code would complete it any more.
 *
 * Show a link or a step-up only to the session that it belongs to: `belongsTo` tells.
 */
export async function readUnderWay(deps: LoginDeps, named: NamedTransaction): Promise<LoginUnderWay | undefined> {
  const open = await loadTransaction(deps, named, 0);
  if ("absent" in open || named.id === undefined) return undefined;
  const { key, transaction, attemptsLeft, checkInSeconds } = open;
  if (attemptsLeft === 0) return undefined;

  // Webhooks write under the service's id, whether a login knows it yet or not, so an early one is found.
  const deliveryKeys = deps.suppresses ? [] : deliveryKeysOf(deps.name, transaction);
  const keys = [supersessionKey(deps, transaction), ...deliveryKeys];
  const [mark, delivery] = await deps.store.get(keys);
  if (isSuperseded(transaction, mark)) return undefined;
  const reported = { attemptsLeft, checkInSeconds, delivery: parseDelivery(delivery) };
  return { transaction, state: describe(deps, named.id, transaction, reported), topics: [key, ...keys] };
}

/** Describes a login that was just started: nothing was tried yet, and no delivery is read. */
export function describeStarted(deps: LoginDeps, id: string, transaction: LoginTransaction): CodeSentState {
  const attemptsLeft = deps.limits.attemptsPerTransaction;
  return describe(deps, id, transaction, { attemptsLeft, checkInSeconds: 0, delivery: null });
}

function describe(
  { clock, codes: { digits }, suppresses }: LoginDeps,
  id: string,
  { phone, expiresAt, resendAt, sends, codeLength: chosenLength, verificationId, messageId }: LoginTransaction,
  reported: Pick<CodeSentState, "attemptsLeft" | "checkInSeconds" | "delivery">,
): CodeSentState {
  const { attemptsLeft, delivery } = reported;
  const transaction = tagOf(id);
  const codeLength = chosenLength ?? (digits.min === digits.max ? digits.max : null);
  // A suppressed code has no verification and no message, and nobody may see that.
  const code = [sends, codeLength, delivery, suppresses ? null : (verificationId ?? messageId)];
  return {
    status: "code_sent",
    // The instants, and not the seconds until then. A pause between checks ends at an instant that an attempt has set.
    version: versionOf(transaction, expiresAt, resendAt, attemptsLeft, code),
    transaction,
    phone: maskPhone(phone),
    expiresInSeconds: secondsUntil(expiresAt, clock.now()),
    resendInSeconds: secondsUntil(resendAt, clock.now()),
    codeLength,
    ...reported,
  };
}

/** Returns the keys of what webhooks report the delivery of: a verification or a message, if the service has named one. */
function deliveryKeysOf(name: string, { verificationId, messageId }: LoginTransaction): readonly string[] {
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
