import { randomUUID } from "node:crypto";
import { z } from "zod";
import { forgetNumber, lastProvenSecondsAgo } from "../limits/after-sending.ts";
import { parseTypedPhone } from "../phone/allowed-numbers.ts";
import { maskPhone, parseE164 } from "../phone/phone-number.ts";
import { readRecord } from "../store/checked-store.ts";
import { type HeldLease, takeLease } from "../store/lease.ts";
import { CallbackMistake, callApp } from "../util/call-app.ts";
import { orAborted, secondsSince } from "../util/clock.ts";
import { DoorcodeError, isDoorcodeError } from "../util/errors.ts";
import { assertRecentProof, type RequestSessions } from "./account.ts";
import type { RemovalAnswer, RemovedNumber } from "./callbacks.ts";
import type { LoginDeps } from "./login-deps.ts";
import { supersedeOthers, supersessionKey } from "./transaction.ts";

/** A request to remove a number from the account that is logged in. */
export interface RemovalRequest {
  /** The number, in E.164 or as a person writes it. */
  readonly phone: string | undefined;
  /** The ISO 3166 code of the country of a number without its country code. */
  readonly country: string | undefined;
  readonly sessions: RequestSessions;
}

/*
 * Once the app has removed a number, it answers "unknown" to the next request for it. So the store says before the app is asked that a
 * removal has begun: if the process dies or the store fails after that, the next request of the user still ends what the removal had to
 * end. The list of these removals is the value of the lease of the user's removals.
 */
const unfinishedShape = z.array(
  z.object({
    phoneFingerprint: z.string(),
    /** When the app was asked first, as Unix milliseconds. */
    askedAt: z.number(),
    /** True when the app failed: then it is unknown whether the user had this number. */
    appFailed: z.boolean(),
  }),
);

type UnfinishedRemoval = z.output<typeof unfinishedShape>[number];

/** While the app fails, a user can begin to remove any number of strangers' numbers. */
const maxUnfinishedOthers = 20;

/** The time in which an unfinished removal can be repeated: a day after its last try. */
const unfinishedSeconds = 86_400;
const leaseSeconds = 15;
const maxRemovalSeconds = 10;

/**
 * Removes a number from the account that is logged in: asks the app, and ends the open logins of the number. One removal of a user runs at
 * a time, on any process: two at the same time could both find another number left. An unfinished removal can be repeated for a day: the
 * app's "unknown" then counts as "removed".
 *
 * @throws {@link DoorcodeError} `login_required`, `proof_required`, `phone_invalid`, `removal_busy`, `last_way_in`, `phone_unknown`,
 * `removal_unfinished` or `store_unavailable`
 * @throws TypeError when `onRemove` returns anything else than its three answers
 */
export async function removeNumber(deps: LoginDeps, { sessions, ...typed }: RemovalRequest): Promise<void> {
  const { name, store, clock, keys } = deps;
  const startedAt = clock.now();
  const session = await sessions.current();
  if (!session) throw new DoorcodeError("login_required");
  assertRecentProof(deps, session);
  const { userId } = session;
  const removed = { userId, phone: readPhone(deps, typed) };
  const published = { userId, phone: maskPhone(removed.phone), phoneFingerprint: keys.fingerprint(removed.phone) };
  const options = { clock, leaseSeconds, ttlSeconds: unfinishedSeconds };
  const lease = await takeLease(store, `${name}:removal:${userId}`, options);
  if (!lease.held) throw removalBusy();
  try {
    await removeUnderLease(deps, removed, lease, () => sessions.endOthers(session));
  } catch (error) {
    if (isDoorcodeError(error) || error instanceof CallbackMistake) throw error;
    deps.publish({ type: "login.removal_failed", error, ...published });
    throw new DoorcodeError("removal_unfinished", { retryAfterSeconds: 1, cause: error });
  }
  const durationSeconds = secondsSince(clock, startedAt);
  deps.publish({ type: "login.number_removed", durationSeconds, ...published });
}

/** Reads the number. It may be of a country that is not allowed any more. */
function readPhone(
  { countries }: LoginDeps,
  { phone = "", country }: Pick<RemovalRequest, "phone" | "country">,
): string {
  const number = parseE164(phone) ?? parseTypedPhone(phone, country, countries);
  if (!number) throw new DoorcodeError("phone_invalid");
  return number.e164;
}

function removalBusy(): DoorcodeError {
  return new DoorcodeError("removal_busy", { retryAfterSeconds: 1 });
}

async function removeUnderLease(
  deps: LoginDeps,
  removed: RemovedNumber,
  lease: HeldLease,
  endOtherSessions: () => Promise<void>,
): Promise<void> {
  const phoneFingerprint = deps.keys.fingerprint(removed.phone);
  // Step 1: the store says that the removal has begun. It may say so already, of this number and of other ones, which stay.
  const listed = readRecord(unfinishedShape, lease.value) ?? [];
  const unfinished = listed.find((removal) => removal.phoneFingerprint === phoneFingerprint);
  const others = listed.filter((removal) => removal !== unfinished).slice(-maxUnfinishedOthers);
  const beside = (own: UnfinishedRemoval) => JSON.stringify([...others, own]);
  const onlyOthers = others.length > 0 ? JSON.stringify(others) : undefined;
  const begun = unfinished ?? { phoneFingerprint, askedAt: deps.clock.now(), appFailed: false };
  if (!(await lease.write(beside(begun)))) throw removalBusy();
  // Step 2: the app is asked.
  const answer = await askUnderLease(deps, removed, lease, beside(unfinished ?? { ...begun, appFailed: true }));
  const isRepeated = answer === "unknown" && unfinished !== undefined;
  if (answer !== "removed" && !isRepeated) {
    await lease.settle(onlyOthers);
    throw new DoorcodeError(answer === "unknown" ? "phone_unknown" : "last_way_in");
  }
  // Step 3: the number's logins and the user's other sessions end.
  try {
    const forgets = !isRepeated || (await mayForget(deps, removed, unfinished));
    await (forgets ? endUseOf(deps, removed, endOtherSessions) : endOtherSessions());
  } catch (error) {
    const stillUnfinished = beside(isRepeated ? unfinished : { ...begun, appFailed: false });
    // A failure here must not hide why the removal is unfinished.
    await Promise.allSettled([lease.settle(stillUnfinished)]);
    throw new Error("The number was removed, but is not forgotten.", { cause: error });
  }
  // Step 4: the removal is finished. If the store fails now, the removal stands. It can be repeated once more, and the
  // lease ends by itself.
  const [settled] = await Promise.allSettled([lease.settle(onlyOthers)]);
  if (settled.status === "fulfilled" && !settled.value) throw new Error("The lease of the removal was lost.");
}

/** Asks the app under the lease. If it fails, leaves the unfinished removals in the store as given, for the next try. */
async function askUnderLease(
  { callbacks }: LoginDeps,
  removed: RemovedNumber,
  lease: HeldLease,
  left: string,
): Promise<RemovalAnswer> {
  const { signal } = lease.keepAlive(maxRemovalSeconds);
  try {
    const asking = callApp("login.onRemove", () => callbacks.onRemove?.(removed, { signal }));
    const answer: unknown = await orAborted(signal, asking);
    if (answer === "removed" || answer === "last_way_in" || answer === "unknown") return answer;
    throw new CallbackMistake('login.onRemove must return "removed", "last_way_in" or "unknown".');
  } catch (error) {
    // A function of the app that was given up may still be running: its lease ends by itself.
    await Promise.allSettled([signal.aborted ? lease.write(left) : lease.settle(left)]);
    throw error;
  }
}

/**
 * Tells whether a repeated removal may end the logins of the number and forget its past. Not if the number may be a stranger's: someone
 * could have strangers' numbers forgotten while the app fails. And not if it was proven since: another account may have it by now.
 */
async function mayForget(
  deps: LoginDeps,
  { phone }: RemovedNumber,
  { askedAt, appFailed }: UnfinishedRemoval,
): Promise<boolean> {
  if (appFailed) return false;
  const askedSecondsAgo = Math.floor((deps.clock.now() - askedAt) / 1000);
  // A clock that was set back since does not tell what came first.
  if (askedSecondsAgo < 0) return false;
  const provenSecondsAgo = await lastProvenSecondsAgo(deps, phone);
  return provenSecondsAgo === undefined || provenSecondsAgo >= askedSecondsAgo;
}

/** The user's other sessions end too: the number may be that of a lost phone. */
async function endUseOf(
  deps: LoginDeps,
  { phone }: RemovedNumber,
  endOtherSessions: () => Promise<void>,
): Promise<void> {
  const superseding = supersedeOthers(deps, { phone, loginId: randomUUID() });
  // After that: a login that is being completed has listed its session by now, or finds itself superseded before it is
  // answered.
  const endingSessions = superseding.catch(() => undefined).then(endOtherSessions);
  const ended = await Promise.allSettled([superseding, forgetNumber(deps, phone), endingSessions]);
  deps.changes.emit(supersessionKey(deps, { phone }));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}
