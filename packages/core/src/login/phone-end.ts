import { z } from "zod";
import { readRecord } from "../store/record.ts";
import type { LoginParts } from "./login.ts";
import { longestTransactionSeconds, type Transaction } from "./transaction.ts";

/** The instant at which a login ended every other transaction of its number. */
export interface PhoneEnd {
  readonly atMilliseconds: number;
  /** The login that did it, which may still have to be finished. */
  readonly loginId: string;
}

const phoneEndShape: z.ZodType<PhoneEnd> = z.object({ atMilliseconds: z.number(), loginId: z.string() });

/** Where the last end of a number's transactions is kept; for whoever reads it together with something else. */
export function phoneEndKey({ name }: LoginParts, fingerprint: string): string {
  return `${name}:phone-end:${fingerprint}`;
}

/** Reads what the store holds there. */
export function parsePhoneEnd(stored: string | undefined): PhoneEnd | undefined {
  return readRecord(phoneEndShape, stored);
}

/** Reads the last end of a number's transactions, if there was one. */
export async function readPhoneEnd(login: LoginParts, fingerprint: string): Promise<PhoneEnd | undefined> {
  const [stored] = await login.store.get([phoneEndKey(login, fingerprint)]);
  return parsePhoneEnd(stored);
}

/** Tells whether a transaction was ended by the login of another on the same number. */
export function isEndedFor({ createdAt, loginId }: Transaction, end: PhoneEnd | undefined): boolean {
  return end !== undefined && end.atMilliseconds >= createdAt && end.loginId !== loginId;
}

/** Ends the transactions of a number that began before now, except the one that logs in. */
export async function endOthersOfPhone(login: LoginParts, winner: Transaction): Promise<void> {
  const end: PhoneEnd = { atMilliseconds: login.clock.now(), loginId: winner.loginId };
  const key = phoneEndKey(login, login.keys.fingerprint(winner.phone));
  await login.store.put(key, JSON.stringify(end), { ttlSeconds: longestTransactionSeconds + 120 });
}
