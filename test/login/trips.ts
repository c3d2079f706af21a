import type { Store } from "@doorcode/core/store";
import { expect } from "vitest";
import { watchStore } from "../support/watched-store.ts";

/** What is asked of a store at once, each as its verb and the kinds of its keys: "get transaction, approved". */
export type Trip = readonly string[];

/** A store whose answers wait until the test lets them go: what is asked meanwhile waits for none of them. */
export interface TripCounter {
  readonly store: Store;
  /** What was asked since the last answers went. */
  readonly asked: Trip;
  /** How many keys that named. */
  readonly keys: number;
  /** How much of that the store behind has answered by now. */
  readonly answered: number;
  /** Lets these answers go, and so ends the trip; holds the next ones or lets them through at once. */
  letGo(next: "hold" | "pass"): void;
}

/** Puts a counter in front of a store; answers pass until it is told to hold them. */
export function countTrips(inner: Store): TripCounter {
  let current = newTrip();
  current.gate.resolve();

  return {
    store: watchStore(inner, async ({ what, keys }, ask) => {
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
    letGo(next) {
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

/** The wire behind the store, where there is one. */
export interface Wire {
  /** Resolves when all that was asked has arrived at the server. */
  arrived(counter: TripCounter): Promise<void>;
  /** Lets answers come back. */
  open(): void;
  /** Keeps them on the wire. */
  close(): void;
}

const noWire: Wire = { arrived: async () => undefined, open: () => undefined, close: () => undefined };

const soon = { interval: 2, timeout: 5000 };

/**
 * Follows an act trip by trip: all of a trip is asked before the first of its answers arrives, and after the last trip
 * nothing is asked any more.
 */
export async function follow<Result>(
  counter: TripCounter,
  trips: readonly Trip[],
  act: () => Promise<Result>,
  wire: Wire = noWire,
): Promise<Result> {
  let left = trips.length;
  counter.letGo(left > 0 ? "hold" : "pass");
  const acting = act();
  // Whoever is left waiting when a trip was not as expected must not be heard of in the tests that follow.
  acting.catch(() => undefined);
  for (const trip of trips) {
    wire.close();
    await expect.poll(() => counter.asked, soon).toEqual(trip.toSorted());
    await wire.arrived(counter);
    wire.open();
    await expect.poll(() => counter.answered, soon).toBe(trip.length);
    expect(counter.asked).toEqual(trip.toSorted());
    left--;
    counter.letGo(left > 0 ? "hold" : "pass");
  }
  const result = await acting;
  expect(counter.asked).toEqual([]);
  return result;
}
