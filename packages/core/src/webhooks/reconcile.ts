import { z } from "zod";
import type { CallOptions, MessageRecord, Messages } from "../service/messages.ts";
import { takeLease } from "../store/lease.ts";
import { type Clock, scheduleInBackground } from "../util/clock.ts";
import { parseOptions, strictOptions } from "../util/parse-options.ts";
import type { Publish } from "../util/publish.ts";
import type { ReconciledCounts, WebhookDeliveryEvent } from "./delivery-event.ts";
import { type MessageStatusEvent, millisecondsOf, parseEventText, rankInstant } from "./event.ts";
import type { EventDeps, EventOutcome } from "./handlers.ts";
import type { Receiver } from "./receiver.ts";

/** Options of `doorcode.messages.reconcile`. */
export interface ReconcileOptions extends CallOptions {
  /** The beginning of the outage, with a margin for clocks that differ. Older changes are skipped. */
  readonly since: Date;
}

/** The result of a reconciliation. */
export interface Reconciliation extends ReconciledCounts {
  /** The `since` of the next call: the instant of the first change that failed. `undefined` if there is none. */
  readonly next: Date | undefined;
}

/** Reconciles the service's messages with the webhooks that arrived, as `doorcode.messages.reconcile` says. */
export type Reconcile = (options: ReconcileOptions) => Promise<Reconciliation>;

const concurrency = 10;
const expectedSince = "expected a Date, the beginning of the outage, such as new Date(Date.now() - 86_400_000)";
const optionsShape = strictOptions(
  {
    since: z.date(expectedSince).min(new Date(0), expectedSince),
    signal: z.custom<AbortSignal | undefined>().optional(),
  },
  "{ since: new Date(Date.now() - 86_400_000) }",
);
const acknowledgedOutcomes: readonly EventOutcome[] = ["handled", "duplicate", "stale"];

/** Creates the function that gives the changes of the listed messages to the receiver. */
export function createReconcile(
  messages: Messages,
  receiver: Receiver,
  { clock, publish }: { readonly clock: Clock; readonly publish: Publish<WebhookDeliveryEvent> },
): Reconcile {
  async function receive(event: MessageStatusEvent) {
    const outcome = await receiver.receive(event, clock.now());
    return { event, outcome };
  }

  return async (options) => {
    const { since, signal } = parseOptions("doorcode.messages.reconcile", optionsShape, options);
    const records = await messages.list({ signal });
    const sinceRank = rankInstant(since.toISOString());
    const changes = records.flatMap((record) => changeEvents(record, sinceRank)).sort(byRank);
    const received: { readonly event: MessageStatusEvent; readonly outcome: EventOutcome }[] = [];
    for (let from = 0; from < changes.length; from += concurrency) {
      signal?.throwIfAborted();
      received.push(...(await Promise.all(changes.slice(from, from + concurrency).map(receive))));
    }
    const accepted = received.filter(({ outcome }) => outcome === "handled").length;
    const failed = received.filter(({ outcome }) => !acknowledgedOutcomes.includes(outcome));
    const counts = {
      listed: records.length,
      changed: changes.length,
      accepted,
      known: received.length - accepted - failed.length,
      failed: failed.length,
    };
    publish({ type: "webhook.reconciled", ...counts });
    const [next] = failed;
    return { ...counts, next: next && new Date(millisecondsOf(next.event.rank)) };
  };
}

/** Returns the event of a message's last change if it is not older than `since`, else nothing. */
function changeEvents(record: MessageRecord, sinceRank: string): readonly MessageStatusEvent[] {
  const event = parseEventText(JSON.stringify({ event: "message.status.update", data: record }));
  if ("unreadable" in event || event.kind !== "message.status.update") return [];
  const { message_id, status } = event.data;
  const isChange = message_id !== undefined && status !== undefined && status !== "QUEUED";
  // The rank of an unreadable instant is empty, and so before every other.
  return isChange && event.rank >= sinceRank ? [event] : [];
}

/** Changes of one instant have no order. */
function byRank(left: MessageStatusEvent, right: MessageStatusEvent): number {
  return left.rank < right.rank ? -1 : 1;
}

/** For clocks that differ: the service's instants are compared with the app's clock. */
const marginMilliseconds = 300_000;
/** The store knows handled events for seven days. A run that went back further would handle them again. */
const maxBackMilliseconds = 6 * 24 * 60 * 60 * 1000;
const ttlSeconds = 7 * 24 * 60 * 60;
const maxRunSeconds = 24 * 60 * 60;

/**
 * Reconciles once in each period (within 1.1 of them), in one of all processes that share the store. Keeps no process alive. A run
 * continues where the last one that succeeded began, or at the first change whose handler failed.
 *
 * @returns the function that ends a run after the changes that it is receiving, and begins no other. It never rejects.
 */
export function reconcileRegularly(
  { store, name, clock, publish }: Pick<EventDeps, "store" | "name" | "clock" | "publish">,
  reconcile: Reconcile,
  everySeconds: number,
): () => Promise<void> {
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
      // The clock of the process before may be ahead of this one: at least the period that is over was not done.
      const periodBegan = begunAt - everySeconds * 1000;
      const doneUntil = Math.min(Number(lease.value ?? periodBegan), periodBegan);
      // If this first run fails, the next one must not begin later.
      if (lease.value === undefined) await lease.write(String(doneUntil));
      const since = Math.max(doneUntil - marginMilliseconds, begunAt - maxBackMilliseconds);
      const renewal = lease.keepAlive(maxRunSeconds);
      try {
        const signal = AbortSignal.any([stopping.signal, renewal.signal]);
        const { next } = await reconcile({ since: new Date(since), signal });
        await lease.write(String(next?.getTime() ?? begunAt));
      } finally {
        renewal.stop();
      }
    } catch (error) {
      if (!stopping.signal.aborted) publish({ type: "webhook.reconcile_failed", error });
    }
  }

  return async () => {
    stopping.abort();
    cancelNext();
    await running;
  };
}
