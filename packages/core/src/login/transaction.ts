import { hash, randomBytes } from "node:crypto";
import { z } from "zod";
import { type LoginCode, maxCodeSeconds } from "../codes/code-strategy.ts";
import { purposes } from "../codes/purpose.ts";
import { type CountedLogin, countedLoginShape } from "../limits/decision.ts";
import { readRecord } from "../store/record.ts";

/*
 * An open login has two entries in the store. One holds what never changes of it: it is written once, before the first
 * code is sent, and only the end of the login replaces it. The other holds its newest code, which each send replaces.
 * So a resend and the end of a login never write the same entry, and a send that ends late brings no login back.
 */

/** An open login. Instants are Unix milliseconds, judged by core's clock. */
export interface LoginTransaction
  extends Pick<LoginCode, "loginId" | "purpose" | "phone" | "codeKey" | "codeSeed" | "codeLength" | "language"> {
  readonly createdAt: number;
  /** The session that started a `link` or a `step_up`. */
  readonly session?: { readonly userId: string; readonly sessionId?: string | undefined } | undefined;
  /** The number that the account of a `link` had at the start, if it had another one. */
  readonly oldPhone?: string | undefined;
  /** The instant until which a login can be finished whose code was right, and whose first try to finish it failed. */
  readonly finishUntil?: number | undefined;
  /** True once the login is finished: nothing opens it again. */
  readonly done?: boolean | undefined;
}

/** The newest code of a login. */
export interface NewestCode extends Pick<LoginCode, "sends" | "codeNumber" | "verificationId" | "isSuppressed"> {
  /** The instant at which this code was sent for the first time. */
  readonly codeSentAt: number;
  readonly expiresAt: number;
  /** The instant from which another code may be sent. */
  readonly resendAt: number;
  /** What the login has added to the limits of sending. */
  readonly counted: CountedLogin;
  /** The service's id of the newest send's message, if the app words the texts. */
  readonly messageId?: string | undefined;
}

const transactionShape: z.ZodType<LoginTransaction> = z.object({
  loginId: z.string(),
  purpose: z.enum(purposes),
  phone: z.string(),
  createdAt: z.number(),
  codeKey: z.string(),
  codeSeed: z.string(),
  codeLength: z.number().optional(),
  language: z.string().optional(),
  session: z.object({ userId: z.string(), sessionId: z.string().optional() }).optional(),
  oldPhone: z.string().optional(),
  finishUntil: z.number().optional(),
  done: z.boolean().optional(),
});

const newestCodeShape: z.ZodType<NewestCode> = z.object({
  sends: z.number(),
  codeNumber: z.number(),
  codeSentAt: z.number(),
  expiresAt: z.number(),
  resendAt: z.number(),
  counted: countedLoginShape,
  verificationId: z.string().optional(),
  messageId: z.string().optional(),
  isSuppressed: z.boolean().optional(),
});

/** Reads the stored text of a login; `undefined` for an absent one, and for any other text. */
export function readTransaction(text: string | undefined): LoginTransaction | undefined {
  return readRecord(transactionShape, text);
}

/** Reads the stored text of a newest code; `undefined` for an absent one, and for any other text. */
export function readNewestCode(text: string | undefined): NewestCode | undefined {
  return readRecord(newestCodeShape, text);
}

/**
 * The maximum age of a transaction, however often a code is sent again. A login whose code was right gets a minute
 * more.
 */
export const maxTransactionSeconds = 3600;
const finishSeconds = 60;

/** The lifetime of everything that belongs to a login in the store, and of the end of its number's other logins. */
export const outliveTransactionSeconds: number = maxTransactionSeconds + 2 * finishSeconds;

/** Returns when a code expires that is sent now, for the first time or again. */
export function expiryOf(
  { createdAt }: Pick<LoginTransaction, "createdAt">,
  codeSentAt: number,
  now: number,
  lifetimeSeconds: number,
): number {
  return Math.min(
    now + lifetimeSeconds * 1000,
    codeSentAt + maxCodeSeconds * 1000,
    createdAt + maxTransactionSeconds * 1000,
  );
}

/**
 * Gives a login whose code was right a minute to be finished, after the first try failed, within the life of the code.
 */
export function withTimeToFinish(
  transaction: LoginTransaction,
  { codeSentAt }: NewestCode,
  now: number,
): LoginTransaction {
  const finishUntil = Math.min(
    now + finishSeconds * 1000,
    codeSentAt + maxCodeSeconds * 1000,
    transaction.createdAt + (maxTransactionSeconds + finishSeconds) * 1000,
  );
  return { ...transaction, finishUntil };
}

/** Returns when a login ends, unless another code is sent. */
export function endOf({ finishUntil = 0 }: LoginTransaction, { expiresAt }: NewestCode): number {
  return Math.max(expiresAt, finishUntil);
}

/**
 * Tells whether a request with this session may go on with a transaction: a link or a step-up is held to its session.
 */
export function belongsTo(
  { session }: LoginTransaction,
  current: { readonly userId: string; readonly sessionId?: string } | undefined,
): boolean {
  if (!session) return true;
  return current?.userId === session.userId && current.sessionId === session.sessionId;
}

/** The form of the texts that {@link newRandomText} creates. */
export const randomTextForm: RegExp = /^[\w-]{22}$/;

/**
 * Creates a random text of 128 bits: the id of a transaction or of a device, as a cookie carries it, or the seed of a
 * login's codes.
 */
export function newRandomText(): string {
  return randomBytes(16).toString("base64url");
}

/** Returns the short public name by which two tabs tell their transactions apart. It gives access to nothing. */
export function tagOf(id: string): string {
  return hash("sha256", `tag ${id}`, "base64url").slice(0, 8);
}
