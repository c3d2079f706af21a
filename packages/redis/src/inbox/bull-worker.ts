import type { InboxHandler, InboxWorker, InboxWorkOptions } from "@doorcode/core/inbox";
import { type Clock, waitAtMost } from "@doorcode/core/store";
import type { Worker } from "bullmq";
import { createWorkerClient } from "../connection/duplicate-client.ts";
import { isErrorReply } from "../connection/error-reply.ts";
import { isSocketError, notConnected, toUnavailable } from "../connection/unavailable.ts";
import type { BullEngine } from "./bull-engine.ts";
import type { CheckedInboxOptions } from "./bull-options.ts";
import { backoffStrategy, createJobProcessor } from "./job-processor.ts";

/** A worker on BullMQ. */
export interface BullWorker extends InboxWorker {
  /** Resolves when the worker has begun, which waits for Redis. Rejects with `store_unavailable` if Redis refuses what a worker needs. */
  ready(): Promise<void>;
  /** Ends the connections. Jobs that are still running go to another worker when their locks expire. */
  close(): Promise<void>;
}

/** Creates a worker, which hands out entries until it is stopped. */
export function createBullWorker(
  engine: BullEngine,
  handle: InboxHandler,
  { concurrency, onError }: InboxWorkOptions,
  options: CheckedInboxOptions,
): BullWorker {
  const { clock, timeoutSeconds } = options;
  const own = createWorkerClient(options.client);
  const handlers = trackHandlers(handle);
  const worker = new engine.Worker(options.name, createJobProcessor(engine, handlers.handle), {
    ...workerOptions(options),
    connection: own.client,
    concurrency,
  });
  const breaks = createBreaks(clock, worker);
  worker.on("error", report);
  let lastError: unknown;
  let finishing: Promise<void> | undefined;

  function report(error: unknown): void {
    // One lost connection rejects several commands with one error.
    const isNews = error !== lastError;
    lastError = error;
    if (isErrorReply(error) || !isNews) breaks.start();
    if (isNews) onError(explain(error));
  }

  async function close(): Promise<void> {
    own.close();
    await worker.close(true).catch(() => undefined);
  }

  /** Waits for the handlers, and for BullMQ to store their outcomes, which it cannot do without a connection. */
  async function finishJobs(): Promise<void> {
    await breaks.end();
    const stored = worker.pause().catch(report);
    do {
      await handlers.finished();
      await waitAtMost(clock, timeoutSeconds, stored);
    } while (handlers.areRunning());
  }

  return {
    async ready() {
      try {
        await waitAtMost(clock, timeoutSeconds, worker.waitUntilReady());
      } catch (error) {
        await close();
        throw toUnavailable(error, "inbox");
      }
    },
    async stop({ limitSeconds }) {
      finishing ??= finishJobs();
      await waitAtMost(clock, limitSeconds, finishing);
      await close();
    },
    close,
  };
}

function workerOptions({ prefix, takeOverSeconds }: CheckedInboxOptions) {
  return {
    prefix,
    lockDuration: takeOverSeconds * 1000,
    stalledInterval: takeOverSeconds * 1000,
    // The job processor has a limit instead: BullMQ would fail a job above its own limit again at each replay.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    settings: { backoffStrategy },
  };
}

/** Says what to do about an error reply, and about a server that is not there. Any other error is BullMQ's own. */
function explain(error: unknown): unknown {
  if (isErrorReply(error)) return toUnavailable(error, "inbox");
  return isSocketError(error) ? notConnected(error) : error;
}

/** Keeps track of the handlers that are running. */
function trackHandlers(handle: InboxHandler) {
  const running = new Set<ReturnType<InboxHandler>>();
  const handleTracked: InboxHandler = (entry) => {
    const handling = handle(entry).finally(() => running.delete(handling));
    running.add(handling);
    return handling;
  };
  return { handle: handleTracked, areRunning: () => running.size > 0, finished: () => Promise.allSettled(running) };
}

const breakSeconds = 1;

/**
 * Pauses a worker for a moment after an error that BullMQ would otherwise meet thousands of times a second: the error reply of a full
 * Redis, for example, or the error of a connection that has ended.
 */
function createBreaks(clock: Clock, worker: Pick<Worker, "isPaused" | "pause" | "resume">) {
  let cancelResume: (() => void) | undefined;
  return {
    start() {
      if (worker.isPaused()) return;
      void worker.pause(true);
      cancelResume = clock.schedule(breakSeconds * 1000, () => void worker.resume());
    },
    async end() {
      cancelResume?.();
      await worker.resume();
    },
  };
}
