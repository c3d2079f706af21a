import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import { interceptStore } from "../../support/intercepted-store.ts";

/** How often a request waited for the store, and how many functions of the store it called. */
export interface Counted {
  readonly trips: number;
  readonly calls: number;
}

/** A store that counts the calls of a request, and the round trips that they need. */
export interface CountingStore {
  readonly store: Store;
  count(request: () => Promise<void>): Promise<Counted>;
}

/** Calls that a request makes at once come well before that. `test/login` has the same counts without a clock. */
const quietMilliseconds = 40;

/** Wraps a store: while it counts, answers are kept until nothing more is asked, and what was asked by then is one trip. */
export function createCountingStore(inner: Store): CountingStore {
  let asked = 0;
  let gate: PromiseWithResolvers<void> | undefined;

  async function count(request: () => Promise<void>): Promise<Counted> {
    let [trips, calls, done] = [0, 0, false];
    gate = Promise.withResolvers();
    const answering = request().finally(() => {
      done = true;
    });
    while (!done) {
      const before = asked;
      await pause(quietMilliseconds);
      if (asked === 0 || asked > before) continue;
      trips++;
      calls += asked;
      asked = 0;
      gate.resolve();
      gate = Promise.withResolvers();
    }
    gate = undefined;
    await answering;
    return { trips, calls };
  }

  const store = interceptStore(inner, async (_call, ask) => {
    const open = gate?.promise;
    if (open) asked++;
    try {
      return await ask();
    } finally {
      await open;
    }
  });
  return { store, count };
}
