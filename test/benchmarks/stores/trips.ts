import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import { interceptStore } from "../../support/intercepted-store.ts";

/** How often an act waited for the store, and how many verbs it asked. */
export interface Counted {
  readonly trips: number;
  readonly verbs: number;
}

/** A store that counts, while it is told to, what is asked at once and what waits for what. */
export interface CountingStore {
  readonly store: Store;
  count(act: () => Promise<void>): Promise<Counted>;
}

/** Whatever an act asks without having to wait comes well before that. `test/login` has the same counts without a clock. */
const quietMilliseconds = 100;

/** Wraps a store: while it counts, answers are kept until nothing more is asked, and what was asked by then is one trip. */
export function createCountingStore(inner: Store): CountingStore {
  let asked = 0;
  let gate: PromiseWithResolvers<void> | undefined;

  async function count(act: () => Promise<void>): Promise<Counted> {
    let [trips, verbs, done] = [0, 0, false];
    gate = Promise.withResolvers();
    const acting = act().finally(() => {
      done = true;
    });
    while (!done) {
      const before = asked;
      await pause(quietMilliseconds);
      if (asked === 0 || asked > before) continue;
      trips++;
      verbs += asked;
      asked = 0;
      gate.resolve();
      gate = Promise.withResolvers();
    }
    gate = undefined;
    await acting;
    return { trips, verbs };
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
