import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { StoreChanges } from "../store.ts";
import { freshKey } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const maxMilliseconds = 10_000;
const pauseMilliseconds = 5;

/** The checks of a store that announces changes. One without `changes` passes them. */
export const changeChecks: readonly StoreCheck[] = [
  {
    title: "calls a listener once it listens, and again after an announcement of one of its topics",
    check: withChanges(async (changes) => {
      const [first, second] = [freshKey(), freshKey()];
      const listener = listenTo(changes, [first, second]);
      await listener.called(1);
      await changes.announce([second]);
      await listener.called(2);
      await changes.announce([freshKey(), first]);
      await listener.called(3);
      listener.stop();
    }),
  },
  {
    title: "misses no announcement that is made after a listener was called for the first time",
    check: withChanges(async (changes) => {
      for (let round = 0; round < 20; round++) {
        const topic = freshKey();
        const listener = listenTo(changes, [topic]);
        await listener.called(1);
        const before = listener.calls();
        await changes.announce([topic]);
        await listener.called(before + 1);
        listener.stop();
      }
    }),
  },
  {
    title: "calls every listener of a topic, also one that joins others or stays when others leave",
    check: withChanges(async (changes) => {
      const topic = freshKey();
      const staying = listenTo(changes, [topic]);
      await staying.called(1);
      const leaving = listenTo(changes, [topic]);
      await leaving.called(1);
      leaving.stop();
      const joining = listenTo(changes, [topic]);
      await joining.called(1);
      const [ofStaying, ofJoining] = [staying.calls(), joining.calls()];
      await changes.announce([topic]);
      await staying.called(ofStaying + 1);
      await joining.called(ofJoining + 1);
      staying.stop();
      joining.stop();
    }),
  },
  {
    title: "calls no listener for another topic, or after it has stopped",
    check: withChanges(async (changes) => {
      const [own, other] = [freshKey(), freshKey()];
      const stopped = listenTo(changes, [own, other]);
      await stopped.called(1);
      const listening = listenTo(changes, [own]);
      await listening.called(1);
      stopped.stop();
      const ofStopped = stopped.calls();
      const before = listening.calls();
      await changes.announce([other]);
      await changes.announce([own]);
      await listening.called(before + 1);
      assert.equal(stopped.calls(), ofStopped, "A listener that has stopped must not be called.");
      assert.equal(listening.calls(), before + 1, "A listener must not be called for another topic.");
      listening.stop();
    }),
  },
];

function withChanges(check: (changes: StoreChanges) => Promise<void>): StoreCheck["check"] {
  return async ({ changes }) => {
    if (changes) await check(changes);
  };
}

/** A listener that counts its calls. */
interface CountingListener {
  readonly calls: () => number;
  /** Resolves when it has been called so often. */
  called(count: number): Promise<void>;
  readonly stop: () => void;
}

function listenTo(changes: StoreChanges, topics: readonly string[]): CountingListener {
  let calls = 0;
  const stop = changes.listen(topics, () => {
    calls++;
  });
  return {
    calls: () => calls,
    async called(count) {
      for (let waited = 0; calls < count; waited += pauseMilliseconds) {
        assert.ok(waited < maxMilliseconds, "A listener must be called once it listens, and after an announcement.");
        await wait(pauseMilliseconds);
      }
    },
    stop,
  };
}
