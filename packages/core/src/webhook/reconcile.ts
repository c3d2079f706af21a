import type { Clock } from "../primitives/clock.ts";
import type { CallOptions, MessageRecord, Messages } from "../service/messages.ts";
import type { MessageStatusEvent } from "./event.ts";
import { millisecondsOf, rankInstant } from "./instant.ts";
import { parseEvent } from "./parse-event.ts";
import type { EventOutcome } from "./process-event.ts";
import type { Receiver } from "./receiver.ts";

/** What to catch up with. */
export interface ReconcileOptions extends CallOptions {
  /** The beginning of the outage, with a margin for clocks that differ: older changes are passed over. */
  readonly since: Date;
  /**
   * How many changes are taken in, the oldest first; 1,000 when left out. Those of the same millisecond as the last one
   * are taken in with it.
   */
  readonly limit?: number;
}

/** What a reconciliation found. */
export interface Reconciliation {
  /** Messages that the service listed. */
  readonly listed: number;
  /** Of those, changes since the beginning that can be read. */
  readonly changed: number;
  /** Of those, handled now or, with an inbox, kept for the workers. */
  readonly accepted: number;
  /** Handled before, or overtaken. With an inbox only the workers can tell, and this is 0. */
  readonly known: number;
  /** Handlers that failed or were not done in time, or events that could not be kept: they are in `next`. */
  readonly failed: number;
  /** Changes beyond `limit`. */
  readonly remaining: number;
  /** The `since` to ask again with: of the first change that failed, else of the first beyond `limit`; `undefined` when all was taken in. */
  readonly next: Date | undefined;
}

/** Catches up with what webhooks did not bring. */
export interface Reconciler {
  /**
   * Asks the service for its messages and takes in what changed since, as if the webhook had come: the event has the key
   * that the webhook would have had, so whatever was handled is not handled again.
   *
   * For outages longer than the 72.5 minutes over which the service delivers again. Only the last status of a message is
   * known then, and only of the messages that the service chooses to list. Verifications cannot be reconciled, since no
   * endpoint lists them; a message that is still `QUEUED` had no change.
   *
   * @throws TypeError for a wrong option; {@link DoorcodeError} as `messages.list` does; the reason of the signal when that
   * aborts after the list came.
   * @see `GET /messages` and "Retry schedule" of the specification
   */
  reconcile(options: ReconcileOptions): Promise<Reconciliation>;
}

const defaultLimit = 1000;
const atOnce = 10;
const encoder = new TextEncoder();

/** Creates the reconciliation over what lists messages and what receives events. */
export function createReconciler(messages: Messages, receiver: Receiver, clock: Clock): Reconciler {
  return {
    async reconcile(options) {
      const { limit = defaultLimit, signal } = options ?? {};
      const sinceRank = readSince(options?.since);
      if (!(Number.isSafeInteger(limit) && limit > 0)) {
        throw new TypeError("reconcile: limit must be a whole number above 0, such as 1000.");
      }
      const records = await messages.list({ signal });
      const changes = records.flatMap((record) => readChange(record, sinceRank)).sort(byRank);
      const taken = changes.slice(0, endOfMillisecond(changes, limit));
      const outcomes: EventOutcome[] = [];
      for (let from = 0; from < taken.length; from += atOnce) {
        signal?.throwIfAborted();
        const receive = (event: MessageStatusEvent) => receiver.receive(event, { receivedAtMilliseconds: clock.now() });
        outcomes.push(...(await Promise.all(taken.slice(from, from + atOnce).map(receive))));
      }
      const next = taken.find((_, index) => isFailure(outcomes[index])) ?? changes[taken.length];
      return {
        listed: records.length,
        changed: changes.length,
        ...count(outcomes),
        remaining: changes.length - taken.length,
        next: next && new Date(millisecondsOf(next.rank)),
      };
    },
  };
}

/** A `Date` knows milliseconds, so that whoever goes on with the next one must have had all of the last. */
function endOfMillisecond(changes: readonly MessageStatusEvent[], limit: number): number {
  const last = changes[limit - 1];
  if (!last) return changes.length;
  const later = changes.findIndex(({ rank }) => millisecondsOf(rank) > millisecondsOf(last.rank));
  return later < 0 ? changes.length : later;
}

function readSince(since: unknown): string {
  const rank = since instanceof Date && !Number.isNaN(since.getTime()) ? rankInstant(since.toISOString()) : "";
  if (rank !== "") return rank;
  throw new TypeError(
    "reconcile: since must be a Date: when the outage began, such as new Date(Date.now() - 86_400_000).",
  );
}

/** The event that told of the last change of a message, if that was since then. */
function readChange(record: MessageRecord, sinceRank: string): readonly MessageStatusEvent[] {
  const payload = { event: "message.status.update", data: record };
  const event = parseEvent(encoder.encode(JSON.stringify(payload)));
  if ("unreadable" in event || event.kind !== "message.status.update") return [];
  const { message_id, status } = event.data;
  const tells = message_id !== undefined && status !== undefined && status !== "QUEUED";
  return tells && event.rank !== "" && event.rank >= sinceRank ? [event] : [];
}

function byRank(left: MessageStatusEvent, right: MessageStatusEvent): number {
  return left.rank < right.rank ? -1 : Number(left.rank > right.rank);
}

function count(outcomes: readonly EventOutcome[]): { accepted: number; known: number; failed: number } {
  const accepted = outcomes.filter((outcome) => outcome === "handled").length;
  const failed = outcomes.filter(isFailure).length;
  return { accepted, known: outcomes.length - accepted - failed, failed };
}

const takenIn: readonly unknown[] = ["handled", "duplicate", "stale"];

function isFailure(outcome: EventOutcome | undefined): boolean {
  return !takenIn.includes(outcome);
}
