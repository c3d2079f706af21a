import { setImmediate } from "node:timers/promises";
import type { Store } from "../../src/store/store.ts";
import type { Wire } from "../../src/store-conformance.ts";

/** Carries one question to the server and its answer back. */
type Send = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

/** How a client of a server asks, given what the wire lets it do. */
export type Client = (send: Send, wire: FakeWire) => Send;

/** A wire without sockets: what is sent is done at once, and what comes back is up to the test. */
export interface FakeWire extends Wire {
  /** Resolves when the connection is back. */
  restored(): Promise<void>;
}

/** Resolves with the answer, rejects when it is lost, and never does either while answers are held. */
function createFakeWire(): { readonly wire: FakeWire; readonly send: Send } {
  let state: "whole" | "cut" | "holding" | "losing" = "whole";
  let back = Promise.withResolvers<void>();

  const wire: FakeWire = {
    cut() {
      state = "cut";
    },
    holdAnswers() {
      state = "holding";
    },
    loseAnswer() {
      state = "losing";
    },
    restore() {
      state = "whole";
      back.resolve();
      back = Promise.withResolvers();
    },
    restored: () => back.promise,
  };

  async function send<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (state === "cut") throw new Error("The connection is down.");
    const answer = await ask();
    if (state === "losing") {
      state = "whole";
      throw new Error("The connection was lost.");
    }
    if (state === "holding") await back.promise;
    return answer;
  }
  return { wire, send };
}

/** A client as it should be: it waits for a while, and asks once. */
export const rightClient: Client = (send) => async (ask) => {
  const tooLate = async () => {
    // Longer than any answer of a fake server takes.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    throw new Error("No answer in time.");
  };
  return Promise.race([send(ask), tooLate()]);
};

/** Puts a wire between a store and whoever asks it. */
export function behindWire(store: Store, client: Client = rightClient): { readonly store: Store; readonly wire: Wire } {
  const { wire, send } = createFakeWire();
  const ask = client(send, wire);
  return {
    wire,
    store: {
      get: (keys) => ask(() => store.get(keys)),
      put: (key, value, options) => ask(() => store.put(key, value, options)),
      increment: (changes) => ask(() => store.increment(changes)),
      lease: (key, token, options) => ask(() => store.lease(key, token, options)),
      settle: (key, token, value, options) => ask(() => store.settle(key, token, value, options)),
    },
  };
}
