import { hash } from "node:crypto";
import { z } from "zod";
import { countedLoginList, countedLoginShape } from "../limits/counted-login.ts";
import { flagShape, listOf, listShape, readRecord } from "../store/record.ts";
import { type LoginTransaction, purposes } from "./transaction.ts";

/*
 * A login under way, as the store holds it. An attack leaves a million of them, so it is a list without names, its instants are
 * milliseconds after the first one, and its public id is derived. What most logins lack is at the end.
 */

/** What the store holds: the id is derived from the key. */
type StoredTransaction = Omit<LoginTransaction, "loginId">;

const fields = {
  purpose: z.enum(purposes),
  phone: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  resendAt: z.number(),
  codeSentAt: z.number(),
  sends: z.number(),
  codeNumber: z.number(),
  codeKey: z.string(),
  codeSeed: z.string(),
  counted: countedLoginShape.optional(),
  verificationId: z.string().optional(),
  messageId: z.string().optional(),
  codeLength: z.number().optional(),
  language: z.string().optional(),
  isSuppressed: flagShape.optional(),
  done: flagShape.optional(),
  session: z.object({ userId: z.string(), sessionId: z.string().optional() }).optional(),
  oldPhone: z.string().optional(),
} satisfies Record<keyof StoredTransaction, z.ZodType>;

const shape: z.ZodType<StoredTransaction> = listShape(fields);
const names = Object.keys(fields) as (keyof StoredTransaction)[];

/** Returns the text that the store holds of a transaction. */
export function transactionText(transaction: LoginTransaction): string {
  const { createdAt, counted, isSuppressed, done } = transaction;
  const list = listOf(names, {
    ...transaction,
    ...instantsAfter(transaction, -createdAt),
    counted: counted && countedLoginList(counted),
    isSuppressed: isSuppressed ? 1 : undefined,
    done: done ? 1 : undefined,
  });
  return JSON.stringify(list);
}

/** Reads the text of a transaction; `undefined` for an absent one, and for another shape. */
export function readTransactionText(key: string, text: string | undefined): LoginTransaction | undefined {
  const stored = readRecord(shape, text);
  return stored && { ...stored, ...instantsAfter(stored, stored.createdAt), loginId: loginIdOf(key) };
}

/** Moves the instants of a transaction except the first one. */
function instantsAfter({ expiresAt, resendAt, codeSentAt }: StoredTransaction, milliseconds: number) {
  return {
    expiresAt: expiresAt + milliseconds,
    resendAt: resendAt + milliseconds,
    codeSentAt: codeSentAt + milliseconds,
  };
}

/** Returns the public id of the login whose transaction has this key, in the form of a UUID of version 8. */
export function loginIdOf(key: string): string {
  const digits = hash("sha256", `login ${key}`, "hex");
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join("-");
}
