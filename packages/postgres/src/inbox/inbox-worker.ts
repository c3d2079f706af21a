import type { InboxHandler, InboxVerdict, InboxWorker, InboxWorkOptions } from "@doorcode/core/inbox";
import { type Clock, type WakeUp, waitAtMost } from "@doorcode/core/store";
import {
  type EntriesDeps,
  type HeldEntry,
  isAlone,
  type Room,
  renewEntries,
  settleEntry,
  takeEntries,
} from "./inbox-entries.ts";

/** The parts that a worker works with. */
export interface WorkerDeps extends EntriesDeps {
  readonly clock: Clock;
  readonly pollSeconds: number;
}

/** At its end, a worker waits that long for the answer to its last question, which may never come. */
const lastAnswerSeconds = 2;

/** The kit ends a handler after an hour at most: an entry that is held for longer belongs to a stuck worker. */
const maxHoldSeconds = 7200;

/** An event whose workers die again and again is probably the cause. */
const maxDeaths = 20;

const workersDied: InboxVerdict = {
  action: "dead_letter",
  error: { name: "WorkerDied", code: undefined, message: `More than ${maxDeaths} workers died with this event.` },
};

/**
 * Takes entries and hands them to the handler until it is stopped.
 *
 * @param wakeUp - makes the worker look for entries immediately.
 */
export function startInboxWorker(
  deps: WorkerDeps,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  wakeUp: WakeUp,
): InboxWorker {
  const { clock, pollSeconds } = deps;
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

  function room(): Room {
    return { max: holds.includesAlone() ? 0 : concurrency - running.size, isIdle: running.size === 0 };
  }

  async function takeUntilStopped(): Promise<void> {
    while (!isStopped) {
      const taken = await takeEntries(deps, room()).catch(onError);
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
    async stop({ limitSeconds }) {
      isStopped = true;
      wakeUp.trigger();
      await waitAtMost(clock, limitSeconds, finish());
      isAbandoned = true;
      holds.stop();
    },
  };
}

async function work(deps: WorkerDeps, held: HeldEntry, handle: InboxHandler): Promise<void> {
  const verdict = held.deaths > maxDeaths ? workersDied : await handle(held.entry);
  const isSettled = await settleEntry(deps, held, verdict);
  if (!isSettled) throw new LateVerdict(deps.takeOverSeconds);
}

/** Renews the holds on entries three times in the time to take over, until the entry is removed or the worker stops. */
function createHolds(deps: WorkerDeps, onError: (error: unknown) => void) {
  const renewSeconds = deps.takeOverSeconds / 3;
  /** The held entries, and how often each was renewed. */
  const renewals = new Map<HeldEntry, number>();
  let isStopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return deps.clock.schedule(renewSeconds * 1000, () => {
      // The next renewal does not wait for this one: a renewal without an answer must not let the holds run out.
      if (!isStopped) cancel = schedule();
      for (const [held, times] of renewals) renewals.set(held, times + 1);
      const young = [...renewals].filter(([, times]) => times * renewSeconds < maxHoldSeconds).map(([held]) => held);
      if (young.length > 0) renewEntries(deps, young).catch(onError);
    });
  }

  return {
    add: (held: HeldEntry) => void renewals.set(held, 0),
    remove: (held: HeldEntry) => void renewals.delete(held),
    /** Tells whether one of the entries must be handled alone. */
    includesAlone: () => [...renewals.keys()].some(isAlone),
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
