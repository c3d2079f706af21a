import { hash } from "node:crypto";
import { purposes } from "../codes/purpose.ts";
import { type CountedLogin, countedLoginShape } from "../limits/counted-login.ts";
import { isNumber, isText, type ListedMembers, listOf, maybe, parseText, readList } from "../store/record.ts";
import type { LoginTransaction } from "./transaction.ts";

/*
 * A login under way, as the store holds it. An attack leaves a million of them, so it is a list without names, its instants are
 * milliseconds after the first one, and its public id is derived from its key. What most logins lack is at the end.
 */

/** What the store holds. */
interface StoredTransaction extends Omit<LoginTransaction, "loginId" | "counted" | "isSuppressed" | "done"> {
  readonly counted?: unknown;
  /** 1 for true. */
  readonly isSuppressed?: number | undefined;
  readonly done?: number | undefined;
}

const members: ListedMembers<StoredTransaction> = {
  purpose: (value) => (purposes as readonly unknown[]).includes(value),
  phone: isText,
  createdAt: isNumber,
  expiresAt: isNumber,
  resendAt: isNumber,
  codeSentAt: isNumber,
  sends: isNumber,
  codeNumber: isNumber,
  codeKey: isText,
  codeSeed: isText,
  counted: maybe((value) => countedLoginShape.safeParse(value).success),
  verificationId: maybe(isText),
  messageId: maybe(isText),
  codeLength: maybe(isNumber),
  language: maybe(isText),
  isSuppressed: maybe(isNumber),
  done: maybe(isNumber),
  session: maybe(isSession),
  oldPhone: maybe(isText),
};

/** Returns the text that the store holds of a transaction. */
export function transactionText(transaction: LoginTransaction): string {
  const { createdAt, expiresAt, resendAt, codeSentAt, isSuppressed, done } = transaction;
  const list = listOf<StoredTransaction>(members, {
    ...transaction,
    expiresAt: expiresAt - createdAt,
    resendAt: resendAt - createdAt,
    codeSentAt: codeSentAt - createdAt,
    isSuppressed: isSuppressed ? 1 : undefined,
    done: done ? 1 : undefined,
  });
  return JSON.stringify(list);
}

/** Reads the text of a transaction; `undefined` for an absent one, and for any other text. */
export function readTransactionText(key: string, text: string | undefined): LoginTransaction | undefined {
  const stored = readList<StoredTransaction>(members, parseText(text));
  if (!stored) return undefined;
  const { createdAt, expiresAt, resendAt, codeSentAt, isSuppressed, done } = stored;
  return {
    ...stored,
    loginId: loginIdOf(key),
    expiresAt: expiresAt + createdAt,
    resendAt: resendAt + createdAt,
    codeSentAt: codeSentAt + createdAt,
    counted: stored.counted as CountedLogin | undefined,
    isSuppressed: isSuppressed === 1 ? true : undefined,
    done: done === 1 ? true : undefined,
  };
}

function isSession(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { userId, sessionId }: Partial<Record<string, unknown>> = value;
  return isText(userId) && maybe(isText)(sessionId);
}

/** Returns the public id of the login whose transaction has this key, in the form of a UUID of version 8. */
export function loginIdOf(key: string): string {
  const digits = hash("sha256", `login ${key}`, "hex");
  const [a, b, c, d] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16), digits.slice(17, 20)];
  return `${a}-${b}-8${c}-a${d}-${digits.slice(20, 32)}`;
}
