import type { Store } from "@doorcode/core/store";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import type { Host } from "./hosts.ts";
import { interceptStore } from "./intercepted-store.ts";
import type { Platform } from "./platforms.ts";
import { testedMemory } from "./tested-memory.ts";
import type { AppEntries, TestedStore } from "./tested-store.ts";

/** The name, the store and the time that the processes of one app share. */
export interface Deployment extends AppEntries {
  readonly name: string;
  /** The time of the processes. A test advances it, and the time of the store with it. */
  readonly clock: ManualClock;
  /** Resolves when all work waits for the clock or for the test. */
  atRest(): Promise<void>;
}

/** Creates the deployment of a new app, in memory when no store is given. */
export function createDeployment(store: TestedStore = testedMemory): Deployment {
  // A random name: tests share neither entries of a store nor the memory of the process.
  const name = `t${Math.random().toString(36).slice(2, 12)}`;
  const entries = store.openEntries(name);
  const clock = createManualClock();
  const callsInProgress = new Set<Promise<unknown>>();
  let calls = 0;

  const connect = (): Store =>
    interceptStore(entries.connect(), async (_call, ask) => {
      calls++;
      const answer = ask();
      callsInProgress.add(answer);
      try {
        return await answer;
      } finally {
        callsInProgress.delete(answer);
      }
    });

  async function atRest(): Promise<void> {
    let callsBefore: number;
    do {
      callsBefore = calls;
      await Promise.allSettled(callsInProgress);
      // An answer can lead to another call, some turns of the event loop later.
      await clock.advance(0);
    } while (calls > callsBefore);
  }

  /** Advances step by step, so that a task that is due finds the store at its own instant. */
  async function advance(milliseconds: number): Promise<void> {
    const until = clock.now() + milliseconds;
    await atRest();
    while (clock.now() < until) {
      const step = Math.min(clock.nextDue ?? until, until) - clock.now();
      await entries.passTime(step);
      await clock.advance(step);
      await atRest();
    }
  }

  return {
    ...entries,
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

/** The same app for a suspended process, whose own time stands still from now on. */
export function suspended(app: Deployment): Deployment {
  return { ...app, clock: createManualClock(app.clock.now()) };
}
