import type { CounterChange, CounterState, Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import { giveBack } from "./budgets.ts";
import { type Answers, answersOf, type Counter } from "./counter.ts";

/*
 * Every login would wait for the row of a counter that the whole app or a country has in a database. So each process has a share of such a
 * counter. It reserves a hundredth of a ceiling in advance, and it tells the store a few seconds later what logins have added to a total.
 * No ceiling is ever passed. A decision may miss what other processes have added to a total in these seconds.
 */

/** The counters of the limits, as one process reads and changes them. */
export interface SharedCounters {
  /** Changes counters as the store's `increment` does, in one call. The process answers for its shares where it can. */
  increment(counters: readonly Counter[]): Promise<Answers>;
  /** Adds to shared counters, without a call of the store. */
  add(counters: readonly Counter[]): void;
  /** Takes back what was added to counters. */
  giveBack(counters: readonly Counter[]): Promise<void>;
}

/** The share that a process has of a counter. */
interface Share {
  /** The count that the store had when it was last called. */
  count: number;
  /** The number that the store does not know yet; below 0 the number that was reserved in advance and not used. */
  owed: number;
  calledAt: number;
  readonly endsAt: number;
}

const callAfterMilliseconds = 5000;
const maxOwed = 20;

/** Creates the counters of a process. */
export function createSharedCounters(deps: { readonly store: Store; readonly clock: Clock }): SharedCounters {
  const { store, clock } = deps;
  const shares = new Map<string, Share>();

  function shareOf({ key, ttlSeconds }: Counter): Share {
    const found = shares.get(key);
    if (found) return found;
    const now = clock.now();
    for (const [other, { endsAt }] of shares) if (endsAt <= now) shares.delete(other);
    const share = { count: 0, owed: 0, calledAt: Number.NEGATIVE_INFINITY, endsAt: now + ttlSeconds * 1000 };
    shares.set(key, share);
    return share;
  }

  function add(counters: readonly Counter[]): void {
    for (const counter of counters) if (counter.by !== 0) shareOf(counter).owed += counter.by;
  }

  /** Returns the change for the store; `undefined` if the process answers. */
  function changeOf(counter: Counter): CounterChange | undefined {
    if (!isShared(counter)) return counter;
    const share = shareOf(counter);
    const isDue = clock.now() - share.calledAt >= callAfterMilliseconds;
    const by = counter.later ? reportFrom(share, isDue) : reservationFor(share, counter, isDue);
    if (by === undefined) return undefined;
    if (isDue) share.calledAt = clock.now();
    return { ...counter, by };
  }

  function stateOf(counter: Counter, change: CounterChange | undefined, state = unchanged): CounterState {
    if (!isShared(counter)) return state;
    const share = shareOf(counter);
    if (counter.later) {
      if (change) share.count = state.count;
      return { ...unchanged, count: share.count + share.owed };
    }
    if (!change) return unchanged;
    if (state.granted) share.owed -= change.by;
    // If the store refuses, another code may have reserved enough meanwhile.
    return { ...unchanged, granted: use(share, counter.by) };
  }

  return {
    add,
    async increment(counters) {
      const changes = counters.map(changeOf);
      const states = (await store.increment(changes.filter((change) => change !== undefined))).values();
      const stateAt = (index: number) => (changes[index] ? states.next().value : undefined);
      return answersOf(
        counters,
        counters.map((counter, index) => stateOf(counter, changes[index], stateAt(index))),
      );
    },
    async giveBack(counters) {
      add(counters.filter(isShared).map((counter) => ({ ...counter, by: -counter.by })));
      const others = counters.filter((counter) => !isShared(counter));
      await giveBack(store, others);
    },
  };
}

const unchanged: CounterState = { granted: true, count: 0, secondsLeft: 0 };

function isShared({ later, inAdvance }: Counter): boolean {
  return later === true || inAdvance !== undefined;
}

/** Returns what the store is told about a total; `undefined` for nothing yet. */
function reportFrom(share: Share, isDue: boolean): number | undefined {
  if (!isDue && Math.abs(share.owed) < maxOwed) return undefined;
  const { owed } = share;
  share.owed = 0;
  return owed;
}

/** Returns what is reserved of a ceiling; `undefined` if the process has enough in advance. */
function reservationFor(share: Share, { by, inAdvance = 0 }: Counter, isDue: boolean): number | undefined {
  if (use(share, by)) return undefined;
  // Many codes at the same time must not reserve a hundredth each: one process would take the whole ceiling.
  return isDue ? Math.max(by, inAdvance) : by;
}

/** Uses what was reserved in advance. Returns false if that is not enough. */
function use(share: Share, by: number): boolean {
  if (share.owed + by > 0) return false;
  share.owed += by;
  return true;
}
