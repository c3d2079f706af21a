import { z } from "zod";
import { readRecord } from "../store/record.ts";
import type { RemovedNumber } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";

/*
 * Once the app has removed a number, it answers "unknown" to the next request for it. So the store says before the app is asked
 * that a removal is under way: if the process dies or the store fails after that, the next request of the user still ends what the
 * removal had to end.
 */

/** A removal that the app was asked for, and that is not finished. It is the value of the lease of the user's removals. */
export interface UnfinishedRemoval {
  readonly phoneFingerprint: string;
  /** When the app was asked first, as Unix milliseconds. */
  readonly askedAt: number;
  /** True when the app failed, so that nobody knows whether the user had this number. */
  readonly isDoubtful: boolean;
}

const unfinishedShape = z.object({ phoneFingerprint: z.string(), askedAt: z.number(), isDoubtful: z.boolean() });

/** The time in which an unfinished removal can be repeated: a day after its last try. */
export const unfinishedSeconds = 86_400;

/** Returns the unfinished removal of a number. The stored one may be of another number. */
export function readUnfinished(
  { keys }: LoginDeps,
  { phone }: RemovedNumber,
  stored: string | undefined,
): UnfinishedRemoval | undefined {
  const unfinished = readRecord(unfinishedShape, stored);
  return unfinished?.phoneFingerprint === keys.fingerprint(phone) ? unfinished : undefined;
}

/** Creates the record of a removal that the app is about to be asked for. */
export function beginRemoval({ keys, clock }: LoginDeps, { phone }: RemovedNumber): UnfinishedRemoval {
  return { phoneFingerprint: keys.fingerprint(phone), askedAt: clock.now(), isDoubtful: false };
}

/**
 * Tells whether a removal that is repeated may end the logins of the number and forget its past.
 *
 * Not if the number may be a stranger's: someone could have strangers' numbers forgotten while the app fails. And not if it was
 * proven since: it may belong to another account by now.
 */
export async function mayForget(
  { sendLimits, clock }: LoginDeps,
  { phone }: RemovedNumber,
  { askedAt, isDoubtful }: UnfinishedRemoval,
): Promise<boolean> {
  if (isDoubtful) return false;
  const askedSecondsAgo = Math.floor((clock.now() - askedAt) / 1000);
  const provenSecondsAgo = await sendLimits.lastProvenSecondsAgo(phone);
  return provenSecondsAgo === undefined || provenSecondsAgo >= askedSecondsAgo;
}
