import type { CounterChange, CounterState, Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import { DoorcodeError, type ErrorCode } from "../util/errors.ts";
import type { GroupKind } from "./login-limits.ts";

/** A device that has proven the number: the one that did so last, or any other. */
export type KnownDevice = "newest" | "other";

/** Who has codes and failures of a number: strangers, the device that has proven the number last, or the other known devices. */
export type NumberOwner = "number" | KnownDevice;

/** A ceiling of the whole app. */
export type CeilingKind = "sends_per_hour" | "sends_per_day" | "cost_per_day";

/** What is counted for a country: unconfirmed logins, people who have logged in, and the blocks in which somebody has. */
export type Total = "unconfirmed" | "logins" | "blocks" | "wideBlocks";

/** What is counted by days and weeks; for a group, the people who have logged in. */
export type Dated = GroupKind | `${"number" | GroupKind}.undelivered` | `${"country" | "app"}.${Total}`;

/** A day or a week, in UTC. Weeks begin on Thursdays, as 1970 did. */
export type Period = "today" | "yesterday" | "thisWeek" | "lastWeek";

/** The name of a counter: the owner, and what is counted. */
export type CounterName =
  | "login.checkPause"
  | `${NumberOwner}.${"window" | "failures" | "failuresGate" | `part${number}` | `pause${number}`}`
  | `proven.${"first" | "last" | "verified"}`
  | `device.${"newestPlace" | "place"}`
  | `${GroupKind}.${"unconfirmed" | "closed" | "timesClosed"}`
  | `address.${"failures" | "failuresOfDevices"}`
  | CeilingKind
  | `${CeilingKind}.changed`
  | `${Dated}.${Period}`;

/** A row of the table: a counter, what is added to it, and what it may be. */
export interface Counter extends CounterChange {
  readonly name: CounterName;
  /** The error when nothing of it is left. Left out for a counter that refuses nothing. */
  readonly refusal?: ErrorCode;
  /** True for a limit that is not worth waiting for: its refusal has no `Retry-After`. */
  readonly closes?: true;
  /** True for a counter of the app or of a country, of which each process has a share. */
  readonly shared?: true;
  /** The counter that holds the limit that an operator has set instead, plus one. */
  readonly changedBy?: Counter;
}

/** A counter, and what the store has answered about it. */
export type Answered = Counter & CounterState;

/** The counters and their states, by name. */
export type Answers = ReadonlyMap<CounterName, Answered>;

/** Joins counters and their states. The store returns a state for each counter, in the same order. */
export function answersOf(counters: readonly Counter[], states: readonly CounterState[]): Answers {
  return new Map(counters.map((counter, index) => [counter.name, { ...counter, ...(states[index] as CounterState) }]));
}

/** Returns the count of a counter; 0 for a counter that was not read. */
export function countOf(answers: Answers, name: CounterName): number {
  return answers.get(name)?.count ?? 0;
}

/** Returns the counters that have changed. */
export function grantedOf(answers: Answers): readonly Answered[] {
  return [...answers.values()].filter(({ by, granted }) => by > 0 && granted);
}

/** Returns the refusal of the counter that stays closed longest; `undefined` when every share was granted. */
export function refusalOf(answered: readonly Answered[]): DoorcodeError | undefined {
  const refusing = answered.filter((counter) => counter.refusal && !hasShare(counter));
  const [longest] = refusing.toSorted((left, right) => waitSecondsOf(right) - waitSecondsOf(left));
  if (!longest?.refusal) return undefined;
  const { refusal, closes } = longest;
  return new DoorcodeError(refusal, closes ? {} : { retryAfterSeconds: Math.ceil(waitSecondsOf(longest)) });
}

/** A limit of zero has no counter, and so no instant at which it opens again. */
function waitSecondsOf({ secondsLeft, ttlSeconds }: Answered): number {
  return secondsLeft || ttlSeconds;
}

/** Tells whether a share is left. A store grants every change by 0, which only tells what a share would meet. */
export function hasShare({ by, granted, count, limit = Number.POSITIVE_INFINITY }: Answered): boolean {
  return by === 0 ? count < limit : granted;
}

/**
 * Reserves one share of each counter. If any refuses, gives the granted shares back and throws the refusal that lasts longest.
 *
 * @throws {@link DoorcodeError} with the refusal of the counter that stays closed longest
 */
export async function reserve(store: Store, counters: readonly Counter[]): Promise<void> {
  const answers = answersOf(counters, await store.increment(counters));
  const refusal = refusalOf([...answers.values()]);
  if (!refusal) return;
  await giveBack(store, grantedOf(answers));
  throw refusal;
}

/** Gives back shares that were reserved for something that did not happen. That is no reason to remember a counter for longer. */
export async function giveBack(store: Store, shares: readonly CounterChange[]): Promise<void> {
  if (shares.length === 0) return;
  await store.increment(shares.map(({ key, by, ttlSeconds }) => ({ key, by: -by, ttlSeconds })));
}

/** Returns the change that empties a counter: counters stop at zero. */
export function emptied({ key, ttlSeconds }: CounterChange): CounterChange {
  return { key, by: -Number.MAX_SAFE_INTEGER, ttlSeconds };
}

/*
 * Every login would wait for the row of a counter that the whole app or a country has in a database. So each process has a share of such a
 * counter. It reserves a hundredth of a ceiling in advance, and it tells the store a few seconds later what logins have added to a total,
 * which has no limit. No ceiling is ever passed. A decision may miss what other processes have added to a total in these seconds.
 */

/** The counters of an app, as one process reads and changes them. */
export interface Counters {
  /** Changes counters as the store's `increment` does, in one call. The process answers for its shares where it can. */
  increment(counters: readonly Counter[]): Promise<Answers>;
  /** Adds to shared counters, without a call of the store. */
  add(counters: readonly Counter[]): void;
  /** Takes back what was added to counters. */
  giveBack(counters: readonly Counter[]): Promise<void>;
}

interface Share {
  /** The count that the store had when it was last called. */
  count: number;
  /** The number that the store does not know yet; below 0 the number that was reserved in advance and not used. */
  owed: number;
  calledAt: number;
  /** True if the store has answered a call since the last part of a ceiling was asked for. */
  isAnswered: boolean;
  readonly endsAt: number;
}

const callAfterMilliseconds = 5000;
const maxOwed = 20;
/** A process that ends leaves its share unused, so each process may make an app lose a hundredth of a ceiling. */
const sharesOfCeiling = 100;
const unchanged: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** Creates the counters of a process. */
export function createCounters({ store, clock }: { readonly store: Store; readonly clock: Clock }): Counters {
  const shareOf = createShares(clock);

  function add(counters: readonly Counter[]): void {
    for (const counter of counters) shareOf(counter).owed += counter.by;
  }

  return {
    add,
    async increment(given) {
      const counters = given.map((counter) => withChange(shareOf, counter));
      const changes = counters.flatMap((counter) => changeForStore(shareOf, counter, clock.now()) ?? []);
      const answers = answersOf(changes, await store.increment(changes));
      return answersOf(
        counters,
        counters.map((counter) => stateOf(shareOf, counter, answers.get(counter.name))),
      );
    },
    async giveBack(counters) {
      const shared = counters.filter((counter) => counter.shared);
      add(shared.map((counter) => ({ ...counter, by: -counter.by })));
      const excess = shared.flatMap((counter) => excessOf(shareOf(counter), counter) ?? []);
      await giveBack(store, [...counters.filter((counter) => !counter.shared), ...excess]);
    },
  };
}

/** Finds the share of a counter that this process has. */
type ShareOf = (counter: Counter) => Share;

/** Returns a ceiling as an operator has changed it. */
function withChange(shareOf: ShareOf, counter: Counter): Counter {
  const changed = counter.changedBy ? shareOf(counter.changedBy).count : 0;
  return changed > 0 ? { ...counter, limit: changed - 1 } : counter;
}

/** Returns the change that the store makes to a counter; `undefined` if the process answers by itself. */
function changeForStore(shareOf: ShareOf, counter: Counter, now: number): Counter | undefined {
  if (!counter.shared) return counter;
  const { limit } = counter;
  const share = shareOf(counter);
  return limit === undefined ? reportTotal(share, counter, now) : reserveOfCeiling(share, counter, limit, now);
}

/** Tells whether five seconds have passed. A clock that was set back must not keep a process from the store until it has caught up. */
function isDue({ calledAt }: Share, now: number): boolean {
  return Math.abs(now - calledAt) >= callAfterMilliseconds;
}

/** Tells the store what this process has added to a total: once in five seconds, or when it is much. */
function reportTotal(share: Share, counter: Counter, now: number): Counter | undefined {
  const { owed } = share;
  if (!isDue(share, now) && Math.abs(owed) < maxOwed) return undefined;
  if (isDue(share, now)) share.calledAt = now;
  share.owed = 0;
  return { ...counter, by: owed };
}

/** Reserves a part of a ceiling when nothing is left of the part before. */
function reserveOfCeiling(share: Share, counter: Counter, limit: number, now: number): Counter | undefined {
  const { by } = counter;
  if (use(share, by)) return undefined;
  // Many codes at the same time must not reserve a hundredth each: one process would take the whole ceiling. So would one whose answers are
  // lost. Nor may the first code of a process, which does not know yet whether an operator has changed the ceiling.
  if (!share.isAnswered || !isDue(share, now)) return counter;
  share.calledAt = now;
  share.isAnswered = false;
  return { ...counter, by: Math.max(by, Math.floor(limit / sharesOfCeiling)) };
}

/**
 * Takes out of a share of a ceiling what is more than a process reserves in advance, for the store to get it back. Codes that were refused
 * at the same time have taken it: without this, one process would keep the ceiling from all others.
 */
function excessOf(share: Share, counter: Counter): Counter | undefined {
  const by = -share.owed - Math.floor((counter.limit ?? Number.POSITIVE_INFINITY) / sharesOfCeiling);
  if (by <= 0) return undefined;
  share.owed += by;
  return { ...counter, by };
}

/** Returns the state of a counter from the answer of the store, or without an answer from the share. */
function stateOf(shareOf: ShareOf, counter: Counter, answer: Answered | undefined): CounterState {
  if (!counter.shared) return answer ?? unchanged;
  const share = shareOf(counter);
  if (counter.limit === undefined) {
    if (answer) share.count = answer.count;
    return { ...unchanged, count: share.count + share.owed };
  }
  if (!answer) return unchanged;
  share.isAnswered = true;
  if (answer.granted) share.owed -= answer.by;
  // If the store refuses, another code may have reserved enough meanwhile.
  return { ...unchanged, granted: use(share, counter.by) };
}

function createShares(clock: Clock): ShareOf {
  const shares = new Map<string, Share>();
  return ({ key, ttlSeconds }) => {
    const found = shares.get(key);
    if (found) return found;
    const now = clock.now();
    for (const [other, { endsAt }] of shares) if (endsAt <= now) shares.delete(other);
    const endsAt = now + ttlSeconds * 1000;
    const share = { count: 0, owed: 0, calledAt: Number.NEGATIVE_INFINITY, isAnswered: false, endsAt };
    shares.set(key, share);
    return share;
  };
}

/** Uses what was reserved in advance. Returns false if that is not enough. */
function use(share: Share, by: number): boolean {
  if (share.owed + by > 0) return false;
  share.owed += by;
  return true;
}
