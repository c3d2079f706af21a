import { EventEmitter } from "node:events";

/** Tells the requests of this process that wait for a change which key of the store has changed. */
export interface ChangeListeners {
  /** Calls the listeners of the keys. Call it after the change is written. */
  announce(...keys: readonly string[]): void;
  /** Calls `onChange` after each announcement of one of the keys. @returns a function that ends it. */
  listen(keys: readonly string[], onChange: () => void): () => void;
}

/**
 * Creates the listeners of a kit.
 *
 * An announcement reaches this process only. A request that waits reads the store once a second anyway, so it sees the changes of
 * other processes too.
 */
export function createChangeListeners(): ChangeListeners {
  const emitter = new EventEmitter();
  // Each waiting request is a listener, and `StateWaits` limits their number.
  emitter.setMaxListeners(0);
  return {
    announce(...keys) {
      for (const key of keys) emitter.emit(key);
    },
    listen(keys, onChange) {
      for (const key of keys) emitter.on(key, onChange);
      return () => {
        for (const key of keys) emitter.off(key, onChange);
      };
    },
  };
}
