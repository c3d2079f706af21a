import type { Publish } from "../doorcode-event.ts";
import { DoorcodeError } from "../errors.ts";
import type { Store } from "./store.ts";

/**
 * Wraps a store so that whatever it rejects with becomes `store_unavailable`, and is told to `onEvent`.
 *
 * Nothing in the kit goes on without an answer of the store: a login that cannot be counted is a login that is refused.
 */
export function createFailClosedStore(store: Store, publish: Publish): Store {
  async function guarded<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      publish({ type: "store.failed", error });
      throw new DoorcodeError("store_unavailable", { retryAfterSeconds: 1, cause: error });
    }
  }

  return {
    get: (keys) => guarded(() => store.get(keys)),
    put: (key, value, options) => guarded(() => store.put(key, value, options)),
    increment: (changes) => guarded(() => store.increment(changes)),
    lease: (key, token, options) => guarded(() => store.lease(key, token, options)),
    settle: (key, token, value, options) => guarded(() => store.settle(key, token, value, options)),
  };
}
