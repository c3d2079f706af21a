import { type Clock, waitAtMost } from "@doorcode/core/clock";
import type { InboxHandler, InboxWorker, InboxWorkOptions } from "@doorcode/core/inbox";
import type { Bell } from "./bell.ts";
import type { BossQueue, TakenJob } from "./boss-queue.ts";

/** How a worker looks for jobs. */
export interface Pace {
  readonly clock: Clock;
  readonly pollSeconds: number;
  /** A job whose worker is silent for that long is given to another one. */
  readonly takeOverSeconds: number;
  /** Has it look at once. */
  readonly bell: Bell;
}

/** A worker with nothing to do waits that long at its end for an answer that may not come. */
const lastAnswerSeconds = 2;

/** Takes jobs and hands them over until it is stopped. */
export function startBossWorker(
  queue: BossQueue,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  { clock, pollSeconds, takeOverSeconds, bell }: Pace,
): InboxWorker {
  const underWay = new Set<Promise<void>>();
  let stopped = false;
  let givenUp = false;

  async function run(taken: TakenJob): Promise<void> {
    const stopTouching = repeat(clock, takeOverSeconds / 3, async () => {
      if (!givenUp) await queue.touch(taken).catch(onError);
    });
    try {
      await settle(queue, taken, await handle(taken.entry));
    } catch (error) {
      // Nobody touches it any more, so that it is handed out again.
      onError(error);
    } finally {
      stopTouching();
    }
  }

  function begin(taken: TakenJob): void {
    const running = run(taken).finally(() => {
      const wasFull = underWay.size >= concurrency;
      underWay.delete(running);
      if (wasFull) bell.ring();
    });
    underWay.add(running);
  }

  /** Answers whether there may be more. */
  async function takeSome(): Promise<boolean> {
    const room = concurrency - underWay.size;
    if (room === 0) return false;
    const jobs = await queue.take(room);
    // Whoever stops has stopped waiting for these: as after a death, they are handed out again.
    if (givenUp) return false;
    for (const job of jobs) begin(job);
    return jobs.length > 0;
  }

  async function takeUntilStopped(): Promise<void> {
    while (!stopped) {
      // What comes while all is quiet is found at the next look; what waits in line is taken at once.
      const goOn = await takeSome().catch(onError);
      if (!(goOn || stopped)) await bell.wait(pollSeconds);
    }
  }

  const taking = takeUntilStopped();

  async function finish(): Promise<void> {
    await Promise.all(underWay);
    await waitAtMost(clock, lastAnswerSeconds, taking);
    await Promise.all(underWay);
  }

  return {
    async stop({ limitSeconds }) {
      stopped = true;
      bell.ring();
      await waitAtMost(clock, limitSeconds, finish());
      givenUp = true;
    },
  };
}

async function settle(queue: BossQueue, taken: TakenJob, verdict: Awaited<ReturnType<InboxHandler>>): Promise<void> {
  switch (verdict.action) {
    case "complete":
      return queue.complete(taken);
    case "retry":
      return queue.delay(taken, verdict.afterSeconds, verdict.failures);
    case "dead_letter":
      return queue.deadLetter(taken, verdict.error);
  }
}

/** Acts again and again, each time that long after the last time was done. Never rejects, as the act does not. */
function repeat(clock: Clock, everySeconds: number, act: () => Promise<void>): () => void {
  let stopped = false;
  let cancel = later();
  function later(): () => void {
    return clock.schedule(everySeconds * 1000, async () => {
      await act();
      if (!stopped) cancel = later();
    });
  }
  return () => {
    stopped = true;
    cancel();
  };
}
