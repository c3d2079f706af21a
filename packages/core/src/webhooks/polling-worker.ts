import { type Clock, createWakeUp, type WakeUp, waitAtMost } from "../util/clock.ts";
import type { ErrorSummary } from "../util/redact.ts";
import type { InboxHandler, InboxVerdict, InboxWorker, InboxWorkOptions, TakenEntry } from "./inbox.ts";

/** An entry that a worker holds. */
export interface HeldEntry {
  readonly entry: TakenEntry;
  /** Identifies this hold. Once another worker took the entry over, this hold can change nothing. */
  readonly holder: string;
}

/** The room that a worker has for more entries. */
export interface WorkerRoom {
  /** The maximum number of entries to take, at least 1. */
  readonly max: number;
  /** Whether the worker handles no other entry, so that it may take one that must be alone. */
  readonly isIdle: boolean;
}

/** The state of an entry after a verdict. */
export interface EntryOutcome {
  readonly state: "open" | "done" | "dead";
  /** The time after which an open entry is due again; 0 otherwise. */
  readonly dueSeconds: number;
  /** The time after which the entry is removed. */
  readonly keepSeconds: number;
  readonly failures: number;
  /** The deaths after the verdict, to which the next death adds: 0, or as many as before. */
  readonly deaths: number;
  /** The error of a dead letter. */
  readonly error: ErrorSummary | undefined;
}

/** The operations of a worker on the entries of a database. Each is atomic. */
export interface HeldEntries {
  /**
   * Takes open entries that are due, the longest due first: sets a new holder, and makes them due again after
   * `takeOverSeconds`. When an entry still has a holder, the worker that held it has died: its `deaths` grow by one.
   *
   * An entry that {@link maxSharedDeaths} workers died with is taken without others, and only by a worker that is
   * idle. Nothing that is due after it is taken before: else a worker that is never idle would never take it.
   */
  take(room: WorkerRoom): Promise<readonly HeldEntry[]>;
  /** Makes held entries due after `takeOverSeconds` from now, except those that another worker took over. */
  renew(held: readonly HeldEntry[]): Promise<void>;
  /** Stores an outcome and ends the hold. Resolves to false, and changes nothing, if another worker took over. */
  settle(held: HeldEntry, outcome: EntryOutcome): Promise<boolean>;
}

/** The dependencies of a worker. */
export interface PollingDeps {
  readonly entries: HeldEntries;
  /** The clock of all waiting. */
  readonly clock: Clock;
  readonly keepSeconds: number;
  readonly keepDeadLettersSeconds: number;
  readonly takeOverSeconds: number;
  readonly pollSeconds: number;
}

/** A worker that can be told to look for entries immediately. */
export interface PollingWorker extends InboxWorker {
  wakeUp(): void;
}

/** The time, in seconds, after which an open entry that no worker takes is removed. */
export const openEntrySeconds: number = 90 * 86_400;

/**
 * An entry that so many workers died with may be the cause. It is handed out alone from then on, so that the entries beside it do not share
 * its deaths.
 */
export const maxSharedDeaths: number = 3;

/** At its end, a worker waits that long for the answer to its last question, which may never come. */
const lastAnswerSeconds = 2;

/** The kit ends a handler after an hour at most: an entry that is held for longer belongs to a stuck worker. */
const maxHoldSeconds = 7200;

/** Takes entries and hands them to the handler until it is stopped. */
export function startPollingWorker(
  deps: PollingDeps,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
): PollingWorker {
  const { entries, clock, pollSeconds } = deps;
  const wakeUp: WakeUp = createWakeUp(clock);
  const running = new Set<Promise<void>>();
  const holds = createHolds(deps, onError);
  let isStopped = false;
  let isAbandoned = false;

  function start(held: HeldEntry): void {
    holds.add(held);
    // After an error the hold runs out, and a worker takes the entry again.
    const working = work(deps, held, handle)
      .catch(onError)
      .finally(() => {
        holds.remove(held);
        running.delete(working);
        wakeUp.trigger();
      });
    running.add(working);
  }

  function room(): WorkerRoom {
    return { max: holds.includesAlone() ? 0 : concurrency - running.size, isIdle: running.size === 0 };
  }

  async function takeUntilStopped(): Promise<void> {
    while (!isStopped) {
      const free = room();
      const taken = free.max > 0 ? await entries.take(free).catch(onError) : [];
      // After the limit of `stop` these holds run out, as if this worker had died.
      if (!isAbandoned) taken?.forEach(start);
      // No more entries are due, or the worker has no room for more.
      if (!isStopped) await wakeUp.pause(pollSeconds);
    }
  }

  const taking = takeUntilStopped();

  async function finish(): Promise<void> {
    await Promise.all(running);
    await waitAtMost(clock, lastAnswerSeconds, taking);
    await Promise.all(running);
  }

  return {
    wakeUp: wakeUp.trigger,
    async stop({ limitSeconds }) {
      isStopped = true;
      wakeUp.trigger();
      await waitAtMost(clock, limitSeconds, finish());
      isAbandoned = true;
      holds.stop();
    },
  };
}

async function work(deps: PollingDeps, held: HeldEntry, handle: InboxHandler): Promise<void> {
  const verdict = await handle(held.entry);
  const isSettled = await deps.entries.settle(held, outcomeOf(deps, verdict, held.entry));
  if (!isSettled) throw new LateVerdict(deps.takeOverSeconds);
}

function outcomeOf(
  { keepSeconds, keepDeadLettersSeconds }: PollingDeps,
  verdict: InboxVerdict,
  { failures, deaths }: TakenEntry,
): EntryOutcome {
  const ended = { dueSeconds: 0, failures, deaths: 0, error: undefined };
  switch (verdict.action) {
    case "complete":
      return { ...ended, state: "done", keepSeconds };
    case "retry": {
      const { afterSeconds: dueSeconds } = verdict;
      const open = { state: "open", dueSeconds, keepSeconds: dueSeconds + openEntrySeconds } as const;
      return { ...ended, ...open, failures: verdict.failures, deaths: verdict.keepsDeaths ? deaths : 0 };
    }
    case "dead_letter":
      return { ...ended, state: "dead", keepSeconds: keepDeadLettersSeconds, error: verdict.error };
  }
}

/** Renews the holds on entries three times in the time to take over, until the entry is removed or the worker stops. */
function createHolds({ entries, clock, takeOverSeconds }: PollingDeps, onError: (error: unknown) => void) {
  const renewSeconds = takeOverSeconds / 3;
  /** The held entries, and how often each was renewed. */
  const renewals = new Map<HeldEntry, number>();
  let isStopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return clock.schedule(renewSeconds * 1000, () => {
      // The next renewal does not wait for this one: a renewal without an answer must not let the holds run out.
      if (!isStopped) cancel = schedule();
      for (const [held, times] of renewals) renewals.set(held, times + 1);
      const young = [...renewals].filter(([, times]) => times * renewSeconds < maxHoldSeconds).map(([held]) => held);
      if (young.length > 0) entries.renew(young).catch(onError);
    });
  }

  return {
    add: (held: HeldEntry) => void renewals.set(held, 0),
    remove: (held: HeldEntry) => void renewals.delete(held),
    /** Tells whether one of the entries must be handled alone. */
    includesAlone: () => [...renewals.keys()].some(({ entry }) => entry.deaths >= maxSharedDeaths),
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** A worker gave no sign of life for so long that another one took its entry over. */
class LateVerdict extends Error {
  override readonly name = "LateVerdict";

  constructor(takeOverSeconds: number) {
    super(
      `The verdict on an event came too late: its worker gave no sign of life for ${takeOverSeconds} s, and ` +
        "another one took the event over. Look for a blocked event loop, or raise takeOverSeconds.",
    );
  }
}
