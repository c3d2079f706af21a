import { type Clock, waitAtMost } from "@doorcode/core/clock";
import type { InboxHandler, InboxVerdict, InboxWorker, InboxWorkOptions } from "@doorcode/core/inbox";
import { type HeldEntry, type InboxDeps, renewEntries, settleEntry, takeEntries } from "./inbox-entries.ts";
import type { WakeUp } from "./wake-up.ts";

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
  deps: InboxDeps,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  wakeUp: WakeUp,
): InboxWorker {
  const { clock, pollSeconds, takeOverSeconds } = deps;
  const running = new Set<Promise<void>>();
  const held = new Set<HeldEntry>();
  const stopRenewing = repeat(clock, takeOverSeconds / 3, async () => {
    if (held.size > 0) await renewEntries(deps, [...held]).catch(onError);
  });
  let isStopped = false;
  let isAbandoned = false;

  async function work(taken: HeldEntry): Promise<void> {
    held.add(taken);
    const cancelLimit = clock.schedule(maxHoldSeconds * 1000, () => held.delete(taken));
    try {
      await settleEntry(deps, taken, taken.deaths > maxDeaths ? workersDied : await handle(taken.entry));
    } catch (error) {
      // The hold runs out, and a worker takes the entry again.
      onError(error);
    } finally {
      cancelLimit();
      held.delete(taken);
    }
  }

  function start(taken: HeldEntry): void {
    const working = work(taken).then(() => {
      running.delete(working);
      wakeUp.trigger();
    });
    running.add(working);
  }

  async function takeUntilStopped(): Promise<void> {
    while (!isStopped) {
      const taken = await takeEntries(deps, concurrency - running.size).catch(onError);
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
      stopRenewing();
    },
  };
}

const workersDied: InboxVerdict = {
  action: "dead_letter",
  error: { name: "WorkerDied", code: undefined, message: `More than ${maxDeaths} workers died with this event.` },
};

/** Runs a task again and again, each time that long after the last run ended. The task must not reject. */
function repeat(clock: Clock, everySeconds: number, task: () => Promise<void>): () => void {
  let isStopped = false;
  let cancel = schedule();
  function schedule(): () => void {
    return clock.schedule(everySeconds * 1000, async () => {
      await task();
      if (!isStopped) cancel = schedule();
    });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}
