import {
  type InboxHandler,
  type InboxVerdict,
  type InboxWorker,
  type InboxWorkOptions,
  type WakeUp,
  waitAtMost,
} from "@doorcode/core/inbox";
import { type HeldEntry, type InboxDeps, isAlone, type Room, renewEntries, takeEntries } from "./inbox-entries.ts";
import type { SettleEntry } from "./settle-entry.ts";

/** The parts that a worker works with. */
interface WorkerDeps extends InboxDeps {
  readonly settle: SettleEntry;
}

/** At its end, a worker waits that long for the answer to its last question, which may never come. */
const lastAnswerSeconds = 2;

/** The kit ends a handler after an hour at most: an entry that is held for longer belongs to a stuck worker. */
const maxHoldSeconds = 7200;

/** An event whose workers die again and again is probably the cause. */
const maxDeaths = 20;

/**
 * Takes entries and hands them to the handler until it is stopped.
 *
 * @param wakeUp - makes the worker look for entries at once.
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

  async function work(taken: HeldEntry): Promise<void> {
    const hold = holds.keep(taken);
    try {
      await deps.settle(taken, taken.deaths > maxDeaths ? workersDied : await handle(taken.entry));
    } catch (error) {
      // A hold runs out, and a worker takes its entry again.
      onError(error);
    } finally {
      holds.release(hold);
    }
  }

  function start(taken: HeldEntry): void {
    const working = work(taken).then(() => {
      running.delete(working);
      wakeUp.trigger();
    });
    running.add(working);
  }

  function room(): Room {
    const isFull = holds.includesAlone();
    return { max: isFull ? 0 : concurrency - running.size, isIdle: running.size === 0 };
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

const workersDied: InboxVerdict = {
  action: "dead_letter",
  error: { name: "WorkerDied", code: undefined, message: `More than ${maxDeaths} workers died with this event.` },
};

/** An entry whose hold is renewed. */
interface Hold {
  readonly entry: HeldEntry;
  /** They end the hold, since a timer for each entry would cost more than the rest of its hold. */
  renewals: number;
}

/** Renews the hold on each entry that is kept, until the entry is released or the worker stops. */
function createHolds(deps: InboxDeps, onError: (error: unknown) => void) {
  const { clock, takeOverSeconds } = deps;
  const renewSeconds = takeOverSeconds / 3;
  /** An array, for the same reason as the queues of rows. */
  const holds: Hold[] = [];
  let isStopped = false;
  let cancel = schedule();

  function schedule(): () => void {
    return clock.schedule(renewSeconds * 1000, () => {
      // The next renewal does not wait for this one: a renewal without an answer must not let the holds run out.
      if (!isStopped) cancel = schedule();
      for (const hold of holds) hold.renewals += 1;
      const renewed = holds
        .filter(({ renewals }) => renewals * renewSeconds < maxHoldSeconds)
        .map(({ entry }) => entry);
      if (renewed.length > 0) renewEntries(deps, renewed).catch(onError);
    });
  }

  return {
    keep(entry: HeldEntry): Hold {
      const hold = { entry, renewals: 0 };
      holds.push(hold);
      return hold;
    },
    release(hold: Hold): void {
      holds.splice(holds.indexOf(hold), 1);
    },
    /** Tells whether one of the entries must be handled alone. */
    includesAlone: () => holds.some(({ entry }) => isAlone(entry)),
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
