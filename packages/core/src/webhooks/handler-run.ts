import type { HeldLease } from "../store/lease.ts";
import type { Awaitable } from "../util/awaitable.ts";
import { secondsSince } from "../util/clock.ts";
import { isDoorcodeError } from "../util/errors.ts";
import type { WebhookEvent } from "./event.ts";
import type { EventDeps, Processed, ProcessOptions } from "./event-processing.ts";
import type { SettleFunction } from "./event-transactions.ts";
import { callHandler } from "./handlers.ts";
import type { Place } from "./keyed-queue.ts";
import { type EntityRecord, withBegun, withHandled, withReplayed, withSeen } from "./order.ts";
import { entityText } from "./stored-entity.ts";
import { undeliveredNumberOf } from "./undelivered.ts";

/** An event whose entity this process holds. */
export interface HeldEvent {
  readonly event: WebhookEvent;
  /** The event with the rank by which it is ordered. */
  readonly ordered: WebhookEvent;
  readonly lease: HeldLease;
  /** The record of the entity when the lease was taken. */
  readonly record: EntityRecord;
  readonly options: ProcessOptions;
  /** The place in the queue of the entity. To leave it lets the next event begin. */
  readonly place: Place;
}

/** An error of the handler. It is wrapped, because a handler may throw `undefined`. */
interface Failure {
  readonly error: unknown;
}

/** A run of the handler and the mark of its event: as one, where there is a database transaction. */
export class HandlerRun<Scope> {
  readonly #deps: EventDeps<Scope>;
  readonly #held: HeldEvent;
  /** The record of the entity once the handler has begun. */
  readonly #begun: EntityRecord;
  #hasBegun = false;
  #failure: Failure | undefined;

  /** Creates a run of the handler for an event. Nothing begins yet. */
  constructor(deps: EventDeps<Scope>, held: HeldEvent) {
    this.#deps = deps;
    this.#held = held;
    const { options, record, ordered } = held;
    this.#begun = options.replayed ? record : withBegun(record, ordered);
  }

  /** Runs the handler and stores the outcome. */
  async run(): Promise<Processed> {
    if (!(await this.#storeBegun())) return { outcome: "superseded" };
    const { clock, transactions, handlerSeconds } = this.#deps;
    const { lease, place } = this.#held;
    const startedAt = clock.now();
    // A handler that never settles must not keep later events of its entity waiting.
    const renewal = lease.keepAlive(handlerSeconds, () => place.leave());
    const { signal } = renewal;
    let result: "handled" | "superseded" | Failure;
    try {
      const isMarked = await transactions.run((scope, settle) => this.#handleAndMark(scope, settle, signal), signal);
      result = this.#failure ?? (isMarked ? "handled" : "superseded");
    } catch (error) {
      result = this.#failure ?? classifyRejection(error, signal, this.#hasBegun);
    } finally {
      renewal.stop();
    }
    return this.#conclude(result, secondsSince(clock, startedAt));
  }

  /**
   * Stores that the handler begins, so that no older event is handled after it, even if the process dies or the mark is lost.
   * Returns false if another process took over.
   *
   * A transaction needs no such write: what a handler did in it is rolled back with the mark.
   */
  async #storeBegun(): Promise<boolean> {
    const { lease, record } = this.#held;
    if (this.#deps.rollsBack || this.#begun === record) return true;
    return lease.write(entityText(this.#begun));
  }

  async #handleAndMark(scope: Scope, settle: SettleFunction, signal: AbortSignal): Promise<boolean> {
    const { event, ordered, lease, options } = this.#held;
    this.#hasBegun = true;
    // After a conflict in the database the work runs again, and its last run counts.
    this.#failure = undefined;
    try {
      await callHandler(this.#deps.handlers, event, { ...scope, signal });
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      options.onHandlerEnd?.();
    }
    const complete = options.replayed ? withReplayed : withHandled;
    return await lease.settle(entityText(complete(this.#begun, ordered)), settle);
  }

  #conclude(result: "handled" | "superseded" | Failure, durationSeconds: number): Awaitable<Processed> {
    const { countUndelivered } = this.#deps;
    if (result === "superseded") return { outcome: result };
    if (result !== "handled") return this.#markFailed(result, durationSeconds);
    const handled: Processed = { outcome: result, durationSeconds };
    if (!countUndelivered || this.#held.options.replayed) return handled;
    const give = () => handled;
    // The event is handled. If the store fails now, the login counts as unconfirmed for a while.
    return this.#countIfUndelivered(countUndelivered).then(give, give);
  }

  async #countIfUndelivered(countUndelivered: NonNullable<EventDeps["countUndelivered"]>): Promise<void> {
    const { event, record } = this.#held;
    const number = await undeliveredNumberOf(this.#deps, event, record);
    if (number) await countUndelivered(number);
  }

  async #markFailed({ error }: Failure, durationSeconds: number): Promise<Processed> {
    const { event, ordered, lease } = this.#held;
    this.#deps.publish({ type: "webhook.failed", kind: event.kind, key: event.key, durationSeconds, error });
    const isOurs = await lease.settle(entityText(withSeen(this.#begun, ordered)));
    return isOurs ? { outcome: "failed", error } : { outcome: "superseded" };
  }
}

/**
 * Classifies the rejection of a transaction whose handler did not throw.
 *
 * Throws the error again when the transaction was not begun, or it is unknown whether it was committed.
 */
function classifyRejection(
  error: unknown,
  { aborted, reason }: AbortSignal,
  hasBegun: boolean,
): "superseded" | Failure {
  if (aborted && error === reason) {
    if (reason.name !== "TimeoutError") return "superseded";
    // A handler that waited for its transaction until the limit has not failed.
    if (hasBegun) return { error };
  }
  if (isDoorcodeError(error) && error.code === "handler_failed") return { error };
  throw error;
}
