import { type Clock, waitAtMost } from "@doorcode/core/clock";
import type { InboxHandler, InboxWorker, InboxWorkOptions } from "@doorcode/core/inbox";
import type { Worker } from "bullmq";
import type { RedisClient } from "../connection/client.ts";
import { disconnect } from "../connection/end-together.ts";
import { storeFailure } from "../connection/failure.ts";
import { isRefusal } from "../connection/refusal.ts";
import { createWorkingClient } from "./bull-clients.ts";
import type { BullEngine } from "./bull-engine.ts";
import { createJobHandler, type JobData } from "./bull-job.ts";
import { createKeptJobs } from "./kept-jobs.ts";

/** Where a worker works, and how long it waits for what. */
export interface WorkPlace {
  readonly client: RedisClient;
  readonly name: string;
  readonly prefix: string;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  /** A job whose worker is silent for that long is given to another one. */
  readonly takeOverSeconds: number;
}

/** An event whose workers die again and again is what kills them. */
const maxDeaths = 20;
/** Between two questions that Redis refuses. */
const restSeconds = 1;

/**
 * Hands entries over until it is stopped.
 *
 * @throws DoorcodeError `store_unavailable` when Redis refuses what a worker needs. A Redis that is away is waited for.
 */
export async function startBullWorker(
  engine: BullEngine,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  { client, name, prefix, clock, timeoutSeconds, takeOverSeconds }: WorkPlace,
): Promise<InboxWorker> {
  const working = createWorkingClient(client);
  const jobs = createKeptJobs(
    clock,
    takeOverSeconds,
    createJobHandler(engine, handle, () => worker.getBackend()),
    tell,
  );
  const worker: Worker<JobData> = new engine.Worker(name, jobs.run, {
    connection: working,
    prefix,
    concurrency,
    lockDuration: takeOverSeconds * 1000,
    stalledInterval: takeOverSeconds * 1000,
    maxStalledCount: maxDeaths,
    skipLockRenewal: true,
  });
  const rest = createRest(clock, worker);
  worker.on("error", tell);

  function tell(error: unknown): void {
    // BullMQ asks again at once when it is refused, as by a Redis that is full: thousands of times a second.
    if (isRefusal(error)) rest.begin();
    onError(isRefusal(error) ? storeFailure(error, "inbox") : error);
  }

  /** Ends the connections, however they are. What still runs loses its lock, and another worker takes over. */
  async function giveUp(): Promise<void> {
    jobs.giveUp();
    await worker
      .getBackend()
      .close(true)
      .catch(() => undefined);
    disconnect(working);
  }

  try {
    await waitAtMost(clock, timeoutSeconds, worker.waitUntilReady());
  } catch (error) {
    await giveUp();
    throw storeFailure(error, "inbox");
  }
  return {
    async stop({ limitSeconds }) {
      rest.end();
      const closed = worker.close().catch(tell);
      // Without a connection BullMQ does not end by itself, though there may be nothing left to do.
      const idle = jobs.done().then(() => waitAtMost(clock, timeoutSeconds, closed));
      await waitAtMost(clock, limitSeconds, Promise.race([closed, idle]));
      await giveUp();
    },
  };
}

/** Has a worker ask nothing for a while, again and again. */
function createRest(clock: Clock, worker: Pick<Worker, "pause" | "resume">) {
  let cancel: (() => void) | undefined;
  let ended = false;
  return {
    begin() {
      if (ended || cancel) return;
      void worker.pause(true);
      cancel = clock.schedule(restSeconds * 1000, () => {
        cancel = undefined;
        worker.resume();
      });
    },
    end() {
      ended = true;
      cancel?.();
    },
  };
}
