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

/** Reads the last end of a number's transactions, if there was one. */
export async function readPhoneEnd({ store, name }: LoginParts, fingerprint: string): Promise<PhoneEnd | undefined> {
  const [stored] = await store.get([keyOf(name, fingerprint)]);
  return readRecord(phoneEndShape, stored);
}

/** Tells whether a transaction was ended by the login of another on the same number. */
export function isEndedFor({ createdAt, loginId }: Transaction, end: PhoneEnd | undefined): boolean {
  return end !== undefined && end.atMilliseconds >= createdAt && end.loginId !== loginId;
}

/** Ends the transactions of a number that began before now, except the one that logs in. */
export async function endOthersOfPhone({ store, name, clock, keys }: LoginParts, winner: Transaction): Promise<void> {
  const end: PhoneEnd = { atMilliseconds: clock.now(), loginId: winner.loginId };
  const key = keyOf(name, keys.fingerprint(winner.phone));
  await store.put(key, JSON.stringify(end), { ttlSeconds: longestTransactionSeconds + 120 });
}

function keyOf(name: string, fingerprint: string): string {
  return `${name}:phone-end:${fingerprint}`;
}
