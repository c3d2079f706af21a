import { takeLease } from "../store/lease.ts";
import { scheduleInBackground } from "../util/clock.ts";
import type { EventDeps } from "./handlers.ts";
import type { Reconciler } from "./reconcile.ts";

/** Reconciliations that go on until they are stopped. */
export interface RegularReconciliation {
  /** Ends a run after the changes that it is receiving, and begins no other. Never rejects. */
  stop(): Promise<void>;
}

/** For clocks that differ: the service's instants are compared with the app's clock. */
const marginMilliseconds = 300_000;
/**
 * The store knows handled events for seven days. A run never goes back further than this, so that it handles none of
 * them again.
 */
const maxBackMilliseconds = 6 * 24 * 60 * 60 * 1000;
const ttlSeconds = 7 * 24 * 60 * 60;
const maxRunSeconds = 24 * 60 * 60;

/**
 * Reconciles once in each period, in one of all processes that share the store. Keeps no process alive.
 *
 * Each run continues where the last one that succeeded began, or at the first change whose handler failed.
 *
 * @param everySeconds - the period. A run begins within 1.1 periods, and never two within one.
 */
export function reconcileRegularly(
  { store, name, clock, publish }: Pick<EventDeps, "store" | "name" | "clock" | "publish">,
  reconciler: Reconciler,
  everySeconds: number,
): RegularReconciliation {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let cancelNext = scheduleNext();

  /** Asks more often than once in a period, because only the store knows when a period has begun in another process. */
  function scheduleNext(): () => void {
    return scheduleInBackground(clock, everySeconds * 100, () => {
      running = runIfDue().finally(() => {
        if (!stopping.signal.aborted) cancelNext = scheduleNext();
      });
    });
  }

  async function runIfDue(): Promise<void> {
    try {
      // Nobody releases this lease: it runs out when the period is over, also after a crash.
      const options = { clock, leaseSeconds: everySeconds, ttlSeconds };
      const lease = await takeLease(store, `${name}:webhook:reconciled`, options);
      if (!lease.held) return;
      const begunAt = clock.now();
      const doneUntil = Number(lease.value ?? begunAt - everySeconds * 1000);
      const since = Math.max(doneUntil - marginMilliseconds, begunAt - maxBackMilliseconds);
      const renewal = lease.keepAlive(maxRunSeconds);
      try {
        const signal = AbortSignal.any([stopping.signal, renewal.signal]);
        const { next } = await reconciler.reconcile({ since: new Date(since), limit: Number.MAX_SAFE_INTEGER, signal });
        await lease.write(String(next?.getTime() ?? begunAt));
      } finally {
        renewal.stop();
      }
    } catch (error) {
      if (!stopping.signal.aborted) publish({ type: "webhook.reconcile_failed", error });
    }
  }

  return {
    async stop() {
      stopping.abort();
      cancelNext();
      await running;
    },
  };
}
