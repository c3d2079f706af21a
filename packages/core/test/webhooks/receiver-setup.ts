import type { DoorcodeEvent } from "../../src/options.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../../src/testing.ts";
import { parseEventText, type WebhookEvent } from "../../src/webhooks/event.ts";
import type { EventOutcome, EventTransactions, WebhookHandlers } from "../../src/webhooks/handlers.ts";
import { createReceiver } from "../../src/webhooks/receiver.ts";

/** Returns the bytes of a payload. */
export function bodyOf(payload: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(payload));
}

/** Parses a payload that must be readable. */
export function eventOf(payload: unknown): WebhookEvent {
  return eventOfBody(JSON.stringify(payload));
}

/** Parses a body that must be readable. */
export function eventOfBody(body: string): WebhookEvent {
  const event = parseEventText(body);
  if ("unreadable" in event) throw new TypeError(event.unreadable);
  return event;
}

/** Creates an event of a message, `second` seconds past the minute. */
export function messageEvent(status: string, second: number | string, message_id = "msg_1"): WebhookEvent {
  const status_updated_at = `2026-09-21T14:13:${String(second).padStart(2, "0")}Z`;
  return eventOf({ event: "message.status.update", data: { message_id, status, status_updated_at } });
}

/** Creates an event of a verification, `second` seconds past the minute. */
export function verificationEvent(
  facts: Record<string, unknown>,
  second: number,
  verification_id = "ver_1",
): WebhookEvent {
  const updated_at = `2026-09-21T14:13:${String(second).padStart(2, "0")}Z`;
  return eventOf({ event: "verification.update", data: { verification_id, updated_at, ...facts } });
}

/** A promise that a test resolves with `open`. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A store and a clock that any number of simulated processes share. */
export interface ReceiverSetup {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly published: readonly DoorcodeEvent[];
  /** The keys of the store whose changes were announced. */
  readonly announced: readonly string[];
  /** Simulates another process. A process with its own clock can freeze. */
  process(
    handlers: WebhookHandlers,
    own?: { clock?: ManualClock; store?: Store; transactions?: EventTransactions<unknown> },
  ): ReceiverProcess;
}

export interface ReceiverProcess {
  /** Delivers an event. Its first byte arrives now, unless another instant is given. */
  receive(event: WebhookEvent, receivedAtMilliseconds?: number): Promise<EventOutcome>;
  /** Delivers an event now, and advances the clock by the time limit of an answer. */
  answer(event: WebhookEvent): Promise<EventOutcome>;
}

export function createReceiverSetup(): ReceiverSetup {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const published: DoorcodeEvent[] = [];
  const announced: string[] = [];
  const changes = { emit: (key: string | symbol) => announced.push(String(key)) > 0 };
  const publish = (event: DoorcodeEvent) => void published.push(event);
  return {
    clock,
    store,
    published,
    announced,
    process(handlers, own = {}) {
      const shared = { store, clock, ...own, name: "app", handlers, handlerSeconds: 60, publish };
      const receiver = createReceiver({ ...shared, changes });
      const receive = (event: WebhookEvent, receivedAtMilliseconds = shared.clock.now()) =>
        receiver.receive(event, receivedAtMilliseconds);
      return {
        receive,
        async answer(event) {
          const answered = receive(event);
          await shared.clock.advance(4000);
          return answered;
        },
      };
    },
  };
}
