import { setImmediate } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import type { BreakableConnection } from "../src/index.ts";

/** Sends a call to the server and returns its answer. */
type Send = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;

/** A client of a server: it creates the function that sends calls over a wire. */
export type Client = (send: Send, wire: FakeWire) => Send;

/** A wire without sockets. The server runs each call at once; the test decides whether its answer arrives. */
export interface FakeWire extends BreakableConnection {
  /** Resolves when the connection is back. */
  restored(): Promise<void>;
}

/** Creates a wire. `send` resolves with the answer, rejects if it is lost, and waits while answers are held. */
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

/** The correct client: it sends each call once, with a time limit. */
export const rightClient: Client = (send) => async (ask) => {
  const tooLate = async () => {
    // Longer than any answer of the fake server.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    throw new Error("No answer in time.");
  };
  return Promise.race([send(ask), tooLate()]);
};

/** Puts a wire between a store and its callers. */
export function behindWire(
  store: Store,
  client: Client = rightClient,
): { readonly store: Store; readonly wire: BreakableConnection } {
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
