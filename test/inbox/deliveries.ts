import { parseEvent } from "@doorcode/core";
import type { WebhookSetup } from "../support/webhook-setup.ts";
import { instant, messageEvent } from "../support/webhook-setup.ts";

/** A payload about a message. */
export type Payload = ReturnType<typeof messageEvent>;

/** The three statuses of a message, in the order in which they happened. */
export function statusesOf(messageId: string): readonly [queued: Payload, sent: Payload, delivered: Payload] {
  return [
    messageEvent("QUEUED", instant(1), messageId),
    messageEvent("SENT", instant(2), messageId),
    messageEvent("DELIVERED", instant(3), messageId),
  ];
}

/** Answers the key of the event of a payload, as its handler sees it. */
export function keyOf(payload: Payload): string {
  const event = parseEvent(new TextEncoder().encode(JSON.stringify(payload)));
  if ("unreadable" in event) throw new TypeError(event.unreadable);
  return event.key;
}

/** Creates random numbers from 0 up to, but not including, 1. One seed gives the same numbers. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Answers every payload twice, in random order. */
export function shuffledTwice(payloads: readonly Payload[], random: () => number): readonly Payload[] {
  return [...payloads, ...payloads]
    .map((payload) => ({ payload, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ payload }) => payload);
}

/** Delivers all payloads, and returns the statuses of the answers, each once. */
export async function deliverAll(edge: WebhookSetup, payloads: readonly Payload[]): Promise<readonly unknown[]> {
  const seen = new Set<unknown>();
  for (const payload of payloads) seen.add((await edge.deliver(payload)).status);
  return [...seen];
}
