import type { Store } from "@doorcode/core/store";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import type { Host } from "./hosts.ts";
import { interceptStore } from "./intercepted-store.ts";
import type { Platform } from "./platforms.ts";
import { testedMemory } from "./tested-memory.ts";
import type { StoreRoom, TestedStore } from "./tested-store.ts";

/** What the processes of one app share: a name, a store, and the time. */
export interface Deployment extends StoreRoom {
  readonly name: string;
  /** The time of the processes. It stands still until a test moves it, and then takes the store's along. */
  readonly clock: ManualClock;
  /** Resolves when nothing is under way: whatever goes on waits for the clock or for the test. */
  atRest(): Promise<void>;
}

/** Makes room for an app of its own, in memory when no store is given. */
export function createDeployment(store: TestedStore = testedMemory): Deployment {
  // No two tests share the entries of their store, nor the memory of their process.
  const name = `t${Math.random().toString(36).slice(2, 12)}`;
  const room = store.makeRoom(name);
  const clock = createManualClock();
  const underWay = new Set<Promise<unknown>>();
  let asked = 0;

  const connect = (): Store =>
    interceptStore(room.connect(), async (_call, ask) => {
      asked++;
      const answer = ask();
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    });

  async function atRest(): Promise<void> {
    let askedBefore: number;
    do {
      askedBefore = asked;
      await Promise.allSettled(underWay);
      // What an answer leads to takes turns of the event loop, and may be another question.
      await clock.advance(0);
    } while (asked > askedBefore);
  }

  /** A task meets its store at its own instant, not at the end of all the time that passes. */
  async function advance(milliseconds: number): Promise<void> {
    const until = clock.now() + milliseconds;
    await atRest();
    while (clock.now() < until) {
      const step = Math.min(clock.nextDue ?? until, until) - clock.now();
      await room.passTime(step);
      await clock.advance(step);
      await atRest();
    }
  }

  return {
    ...room,
    name,
    connect,
    atRest,
    clock: {
      now: clock.now,
      schedule: clock.schedule,
      advance,
      get pending() {
        return clock.pending;
      },
      get nextDue() {
        return clock.nextDue;
      },
    },
  };
}

/** Creates the deployment of an app on a platform; in memory when only a framework is given. */
export function deployOn(where: Host | Platform): Deployment {
  return "deploy" in where ? where.deploy() : createDeployment();
}

/** The same app for a process whose own time stands still from now on, as that of one that is suspended. */
export function suspended(app: Deployment): Deployment {
  return { ...app, clock: createManualClock(app.clock.now()) };
}
