import type { Store } from "@doorcode/core/store";
import { expect } from "vitest";
import { interceptStore } from "../support/intercepted-store.ts";

/** The calls that are made at once, each as its verb and the kinds of its keys: "get transaction, approved". */
export type Trip = readonly string[];

/** A store whose answers wait until the test releases them. All calls made until then are one round trip. */
export interface TripCounter {
  readonly store: Store;
  /** The calls since the last release. */
  readonly asked: Trip;
  /** The number of keys in these calls. */
  readonly keys: number;
  /** The number of these calls that the store has answered. */
  readonly answered: number;
  /** Releases these answers, which ends the trip. Later answers are held too, or pass at once. */
  release(next: "hold" | "pass"): void;
}

/** Wraps a store. Answers pass until the first release that holds later ones. */
export function countTrips(inner: Store): TripCounter {
  let current = newTrip();
  current.gate.resolve();

  return {
    store: interceptStore(inner, async ({ what, keys }, ask) => {
      const trip = current;
      trip.asked.push(what);
      trip.keys += keys.length;
      try {
        return await ask();
      } finally {
        trip.answered++;
        await trip.gate.promise;
      }
    }),
    get asked() {
      return current.asked.toSorted();
    },
    get keys() {
      return current.keys;
    },
    get answered() {
      return current.answered;
    },
    release(next) {
      current.gate.resolve();
      current = newTrip();
      if (next === "pass") current.gate.resolve();
    },
  };
}

function newTrip() {
  const asked: string[] = [];
  return { asked, keys: 0, answered: 0, gate: Promise.withResolvers<void>() };
}

/** The connection between the store and its server. */
export interface Wire {
  /** Resolves when all calls of the trip have arrived at the server. */
  arrived(counter: TripCounter): Promise<void>;
  /** Lets answers pass. */
  open(): void;
  /** Holds answers back. */
  close(): void;
}

const noWire: Wire = { arrived: async () => undefined, open: () => undefined, close: () => undefined };

const soon = { interval: 2, timeout: 5000 };

/**
 * Checks a request trip by trip: all calls of a trip are made before the first of them is answered, and no call is made
 * after the last trip.
 */
export async function expectTrips<Result>(
  counter: TripCounter,
  trips: readonly Trip[],
  request: () => Promise<Result>,
  wire: Wire = noWire,
): Promise<Result> {
  let left = trips.length;
  counter.release(left > 0 ? "hold" : "pass");
  const answer = request();
  // When a trip is not as expected, this test has failed already: its request must not fail a later one.
  answer.catch(() => undefined);
  for (const trip of trips) {
    wire.close();
    await expect.poll(() => counter.asked, soon).toEqual(trip.toSorted());
    await wire.arrived(counter);
    wire.open();
    await expect.poll(() => counter.answered, soon).toBe(trip.length);
    expect(counter.asked).toEqual(trip.toSorted());
    left--;
    counter.release(left > 0 ? "hold" : "pass");
  }
  const result = await answer;
  expect(counter.asked).toEqual([]);
  return result;
}
