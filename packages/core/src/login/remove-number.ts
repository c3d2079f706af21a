import { randomUUID } from "node:crypto";
import { callApp } from "../primitives/call-app.ts";
import { secondsSince } from "../primitives/clock.ts";
import { orAborted } from "../primitives/deadline.ts";
import { DoorcodeError, isDoorcodeError } from "../primitives/errors.ts";
import { maskPhone, parseE164, parsePhoneNumber } from "../primitives/phone-number.ts";
import { type HeldLease, takeLease } from "../store/held-lease.ts";
import { assertRecentProof } from "./account.ts";
import { CallbackMistake, type RemovalAnswer, type RemovedNumber } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import type { RequestSessions } from "./request-sessions.ts";
import { supersedeOthers, supersessionKey } from "./superseded-logins.ts";

/** A request to remove a number from the account that is logged in. */
export interface RemovalRequest {
  /** The number, in E.164 or as a person writes it. */
  readonly phone: string | undefined;
  /** The ISO 3166 code of the country of a number without its country code. */
  readonly country: string | undefined;
  readonly sessions: RequestSessions;
}

const leaseSeconds = 15;
const maxRemovalSeconds = 10;

/**
 * Removes a number from the account that is logged in: asks the app, and ends what the number has under way.
 *
 * One removal of a user runs at a time, on any process: two at once could both find another number left.
 *
 * @throws {@link DoorcodeError} `login_required`, `proof_required`, `phone_invalid`, `removal_busy`, `last_way_in`, `phone_unknown`,
 * `removal_unfinished` or `store_unavailable`
 * @throws TypeError when `onRemove` returns anything else than its three answers
 */
export async function removeNumber(deps: LoginDeps, { sessions, ...typed }: RemovalRequest): Promise<void> {
  const startedAt = deps.clock.now();
  const session = await sessions.current();
  if (!session) throw new DoorcodeError("login_required");
  assertRecentProof(deps, session);
  const removed = { userId: session.userId, phone: readPhone(typed) };
  const lease = await leaseRemoval(deps, removed.userId);
  try {
    await removeUnderLease(deps, removed, lease, sessions);
  } catch (error) {
    if (isDoorcodeError(error) || error instanceof CallbackMistake) throw error;
    deps.publish({ type: "login.removal_failed", error, ...nameOf(deps, removed) });
    throw new DoorcodeError("removal_unfinished", { cause: error });
  }
  const durationSeconds = secondsSince(deps.clock, startedAt);
  deps.publish({ type: "login.number_removed", durationSeconds, ...nameOf(deps, removed) });
}

/** Reads the number. It may be of a country that is not allowed any more. */
function readPhone({ phone = "", country }: Pick<RemovalRequest, "phone" | "country">): string {
  const number = parseE164(phone) ?? parsePhoneNumber(phone, country);
  if (!number) throw new DoorcodeError("phone_invalid");
  return number.e164;
}

async function leaseRemoval({ name, store, clock }: LoginDeps, userId: string): Promise<HeldLease> {
  const options = { clock, leaseSeconds, ttlSeconds: leaseSeconds };
  const lease = await takeLease(store, `${name}:removal:${userId}`, options);
  if (lease.held) return lease;
  throw new DoorcodeError("removal_busy", { retryAfterSeconds: 1 });
}

async function removeUnderLease(
  deps: LoginDeps,
  removed: RemovedNumber,
  lease: HeldLease,
  sessions: RequestSessions,
): Promise<void> {
  const { signal } = lease.keepAlive(maxRemovalSeconds);
  const [asked] = await Promise.allSettled([orAborted(signal, askToRemove(deps, removed, signal))]);
  // A function of the app that was given up may still be running: its lease ends by itself.
  const isOwn = signal.aborted || (await lease.settle(undefined));
  if (asked.status === "rejected") throw asked.reason;
  if (asked.value === "last_way_in") throw new DoorcodeError("last_way_in");
  if (asked.value === "unknown") throw new DoorcodeError("phone_unknown");
  await endUseOf(deps, removed, sessions);
  if (!isOwn) throw new Error("The lease of the removal was lost.");
}

async function askToRemove(
  { callbacks }: LoginDeps,
  removed: RemovedNumber,
  signal: AbortSignal,
): Promise<RemovalAnswer> {
  const answer: unknown = await callApp("login.onRemove", () => callbacks.onRemove?.(removed, { signal }));
  if (answer === "removed" || answer === "last_way_in" || answer === "unknown") return answer;
  throw new CallbackMistake('login.onRemove must return "removed", "last_way_in" or "unknown".');
}

/**
 * Ends the logins of a removed number, forgets its past and its devices, and ends the user's other sessions: the number may be
 * that of a lost phone.
 */
async function endUseOf(deps: LoginDeps, { phone }: RemovedNumber, sessions: RequestSessions): Promise<void> {
  const ended = await Promise.allSettled([
    supersedeOthers(deps, { phone, loginId: randomUUID() }),
    deps.sendLimits.forget(phone),
    sessions.endOthers(),
  ]);
  deps.changes.announce(supersessionKey(deps, { phone }));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected")
    throw new Error("The number was removed, but is not forgotten.", { cause: failed.reason });
}

function nameOf({ keys }: LoginDeps, { userId, phone }: RemovedNumber) {
  return { userId, phone: maskPhone(phone), phoneFingerprint: keys.fingerprint(phone) };
}
