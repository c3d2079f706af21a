import { DoorcodeError } from "../util/errors.ts";
import type { Publish } from "../util/publish.ts";
import type { Store } from "./store.ts";

/** An event about the store, for `onEvent`. */
export interface StoreEvent {
  readonly type: "store.failed";
  readonly error: unknown;
}

/**
 * Wraps a store so that every rejection becomes `store_unavailable` and is published.
 *
 * Nothing in the kit goes on without an answer of the store: a login that cannot be counted is refused.
 */
export function createFailClosedStore(store: Store, publish: Publish<StoreEvent>): Store {
  function refuse(error: unknown): never {
    publish({ type: "store.failed", error });
    throw new DoorcodeError("store_unavailable", { retryAfterSeconds: 1, cause: error });
  }

  /** Not an async function: one promise less for each request of a guard. */
  function failClosed<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      // A store may return the promise of another library, or throw at once.
      return Promise.resolve(ask()).catch(refuse);
    } catch (error) {
      return Promise.reject(error).catch(refuse);
    }
  }

  return {
    get: (keys) => failClosed(() => store.get(keys)),
    put: (key, value, options) => failClosed(() => store.put(key, value, options)),
    increment: (changes) => failClosed(() => store.increment(changes)),
    lease: (key, token, options) => failClosed(() => store.lease(key, token, options)),
    settle: (key, token, value, options) => failClosed(() => store.settle(key, token, value, options)),
  };
}
