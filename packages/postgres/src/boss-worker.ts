import type { Clock, InboxHandler, InboxWorker, InboxWorkOptions } from "@doorcode/core";
import type { BossQueue, TakenJob } from "./boss-queue.ts";

/** How a worker looks for jobs. */
export interface Pace {
  readonly clock: Clock;
  readonly pollSeconds: number;
  /** A job whose worker is silent for that long is given to another one. */
  readonly takeOverSeconds: number;
}

/** Takes jobs and hands them over until it is stopped. */
export function startBossWorker(
  queue: BossQueue,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  { clock, pollSeconds, takeOverSeconds }: Pace,
): InboxWorker {
  const underWay = new Set<Promise<void>>();
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  let givenUp = false;

  async function touch(taken: TakenJob): Promise<void> {
    if (!givenUp) await queue.touch(taken).catch(onError);
  }

  async function run(taken: TakenJob): Promise<void> {
    const stopTouching = repeat(clock, takeOverSeconds / 3, () => touch(taken));
    try {
      await settle(queue, taken, await handle(taken.entry));
    } catch (error) {
      // Nobody touches it any more, so that it is handed out again.
      onError(error);
    } finally {
      stopTouching();
    }
  }

  async function takeSome(): Promise<number> {
    const jobs = await queue.take(concurrency - underWay.size);
    for (const job of jobs) {
      const running = run(job).finally(() => underWay.delete(running));
      underWay.add(running);
    }
    return jobs.length;
  }

  async function takeUntilStopped(): Promise<void> {
    while (!stopped) {
      if (underWay.size === concurrency) await Promise.race([stopping.promise, ...underWay]);
      if (stopped) return;
      const taken = await takeSome().catch(onError);
      // What comes while all is quiet is found at the next look; what waits in line is taken at once.
      if (!taken) await pause(clock, pollSeconds, stopping.promise);
    }
  }

  const taking = takeUntilStopped();
  return {
    async stop({ limitSeconds }) {
      stopped = true;
      stopping.resolve();
      const done = taking.then(() => Promise.all(underWay));
      await pause(clock, limitSeconds, done);
      givenUp = true;
    },
  };
}

async function settle(queue: BossQueue, taken: TakenJob, verdict: Awaited<ReturnType<InboxHandler>>): Promise<void> {
  switch (verdict.act) {
    case "complete":
      return queue.complete(taken);
    case "again":
      return queue.delay(taken, verdict.afterSeconds, verdict.failures);
    case "bury":
      return queue.bury(taken, verdict.error);
  }
}

/** Waits for that long, or until something else is done. */
async function pause(clock: Clock, seconds: number, until: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(seconds * 1000, resolve);
  await Promise.race([promise, until]);
  cancel();
}

function repeat(clock: Clock, everySeconds: number, act: () => unknown): () => void {
  let cancel = clock.schedule(everySeconds * 1000, tick);
  function tick(): void {
    act();
    cancel = clock.schedule(everySeconds * 1000, tick);
  }
  return () => cancel();
}
