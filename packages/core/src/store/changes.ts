import { setImmediate, setTimeout } from "node:timers/promises";
import { afterAnswer } from "../util/after-answer.ts";
import { createChangeListeners } from "./change-listeners.ts";
import { isMemoryStore } from "./memory.ts";
import type { Store, StoreChanges } from "./store.ts";

/** Tells requests that wait for a change: those of this process at once, those of others through the store. */
export interface Changes {
  /** Tells of changes that are written. It never throws, and nobody waits for it. */
  announce(...topics: readonly string[]): void;
  /** Does the same for a worker, which nobody waits for: other processes are told at most twenty times a second. */
  announceSoon(...topics: readonly string[]): void;
  /** Calls `onChange` as the store's `listen` does. @returns a function that ends it. */
  listen(topics: readonly string[], onChange: () => void): () => void;
  /** The time after which a change may be looked for without an announcement. */
  readonly pollSeconds: number;
}

/** For a store that announces changes: only an announcement that was lost is found so late. */
const missedSeconds = 5;
const withoutAnnouncementsSeconds = 1;

/** A store that is slow must not collect announcements without end. Those beyond the limit are dropped. */
const maxPending = 1000;

/** No person notices so short a pause. Without it a busy worker would announce each of its events by itself. */
const workerPauseMilliseconds = 50;

/** Creates the announcements of a kit. */
export function createChanges(store: Pick<Store, "changes">): Changes {
  const { changes } = store;
  // It tells at once and for nothing, and all kits that share it.
  const isInProcess = isMemoryStore(store);
  const inProcess = createChangeListeners();
  const tellOthers = changes && createAnnouncer(changes, 0);
  const tellOthersSoon = changes && createAnnouncer(changes, workerPauseMilliseconds);

  function announce(topics: readonly string[], tell: ((topics: readonly string[]) => void) | undefined): void {
    if (isInProcess) return void changes?.announce(topics);
    inProcess.tell(topics);
    tell?.(topics);
  }

  return {
    announce: (...topics) => announce(topics, tellOthers),
    announceSoon: (...topics) => announce(topics, tellOthersSoon),
    listen(topics, onChange) {
      const { remove } = inProcess.add(topics, onChange);
      const stop = changes?.listen(topics, onChange);
      if (!changes) onChange();
      return () => {
        remove();
        stop?.();
      };
    },
    pollSeconds: changes ? missedSeconds : withoutAnnouncementsSeconds,
  };
}

/**
 * Creates the function that tells other processes. It makes one call of the store at a time, with a pause after it, and with all topics
 * that have come meanwhile: a busy login costs the store little.
 */
function createAnnouncer(shared: StoreChanges, pauseMilliseconds: number): (topics: readonly string[]) => void {
  const pending = new Set<string>();
  let announcing: Promise<void> | undefined;
  let pauseEnd = 0;

  async function announcePending(): Promise<void> {
    // The answer goes first, and what a request has changed goes together.
    await setImmediate();
    while (pending.size > 0) {
      // Announcements are about what a person sees, so the pause is real time, whatever the clock of the app shows.
      const pause = pauseEnd - performance.now();
      if (pause > 0) await setTimeout(pause);
      const topics = [...pending];
      pending.clear();
      try {
        await shared.announce(topics);
      } catch {
        // Requests that wait look at the store by themselves too, only later.
      }
      pauseEnd = performance.now() + pauseMilliseconds;
    }
    announcing = undefined;
  }

  return (topics) => {
    if (topics.length === 0 || pending.size + topics.length > maxPending) return;
    for (const topic of topics) pending.add(topic);
    announcing ??= announcePending();
    afterAnswer(announcing);
  };
}
