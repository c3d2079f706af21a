import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createMemoryStore } from "@doorcode/core";
import type { Clock, CounterChange, Store } from "@doorcode/core/store";
import { createSqliteStore } from "@doorcode/sqlite";
import { interceptStore } from "../support/intercepted-store.ts";
import type { History, Milestone } from "./history.ts";
import { readFaults, type Scheduler, writeFaults } from "./scheduler.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** As the stores of Redis and PostgreSQL: a call is answered in this time, or rejects. */
const deadlineSeconds = 5;

/** The writes that have prepared a scenario. They are made again for each schedule, which is faster than the requests. */
export type Journal = {
  readonly atMilliseconds: number;
  readonly keys: readonly string[];
  readonly write: (store: Store) => Promise<unknown>;
}[];

/** The entries of a world, and what is known of them. */
export interface ExploredStore {
  /** The store as a process reaches it: each call waits for the scheduler. */
  readonly store: Store;
  readonly journal: Journal;
  /** Looks at what is left, and at the counters that requests have raised. */
  find(history: History): Promise<void>;
  /** Lists the keys that still have something. */
  findLeft(): Promise<readonly string[]>;
}

/** A file of SQLite, which the worlds of a thread have one after the other. */
interface ThreadFile {
  readonly store: Store;
  readonly database: DatabaseSync;
  clock: Clock;
}

let threadFile: ThreadFile | undefined;

function createThreadFile(): ThreadFile {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-explore-"));
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const path = join(folder, "doorcode.sqlite");
  const now = () => file.clock.now();
  const store = createSqliteStore({
    file: path,
    clock: { now, schedule: (...given) => file.clock.schedule(...given) },
  });
  const file: ThreadFile = {
    store,
    database: new DatabaseSync(path),
    clock: { now: Date.now, schedule: () => () => {} },
  };
  return file;
}

/** Opens the store of the thread's file, which is empty then, on the clock of a world. */
function openThreadFile(clock: Clock): Store {
  threadFile ??= createThreadFile();
  threadFile.clock = clock;
  threadFile.database.exec("DELETE FROM doorcode_entries");
  return threadFile.store;
}

/** The parts of a world that its store needs. */
export interface ExploredStoreDeps {
  readonly clock: VirtualClock;
  readonly scheduler: Scheduler;
  readonly history: History;
  /** True for a store in a file of SQLite, false for one in memory. */
  readonly inFile: boolean;
}

/** Creates the store of a world, with the writes of a journal. */
export async function openStore(
  { clock, scheduler, history, inFile }: ExploredStoreDeps,
  written: Journal,
): Promise<ExploredStore> {
  const kept = inFile ? openThreadFile(clock) : createMemoryStore({ clock });
  const keys = new Set<string>();
  const journal: Journal = [];
  for (const { atMilliseconds, keys: named, write } of written) {
    while (clock.runNext(atMilliseconds)) {}
    for (const key of named) keys.add(key);
    await write(kept);
  }

  /** Carries a write out, and keeps it for the next schedules of the scenario. */
  function carryOut<Result>(named: readonly string[], write: (store: Store) => Promise<Result>): Promise<Result> {
    for (const key of named) keys.add(key);
    journal.push({ atMilliseconds: clock.now(), keys: named, write });
    return write(kept);
  }

  const carried: Store = {
    get: (asked) => kept.get(asked),
    put(key, ...given) {
      reach("approved", "wrote approval");
      return carryOut([key], (store) => store.put(key, ...given));
    },
    increment(changes) {
      noteRaises(changes);
      return carryOut(
        changes.map(({ key }) => key),
        (store) => store.increment(changes),
      );
    },
    lease: (key, ...given) => carryOut([key], (store) => store.lease(key, ...given)),
    settle(key, ...given) {
      reach("app answered", "settled");
      return carryOut([key], (store) => store.settle(key, ...given));
    },
  };

  function reach(after: Milestone, milestone: Milestone): void {
    const reached = scheduler.carriedFor?.reached;
    if (reached?.has(after)) reached.add(milestone);
  }

  function noteRaises(changes: readonly CounterChange[]): void {
    const request = scheduler.carriedFor;
    // A confirm whose code was right counts what it has proven.
    if (!request || request.reached.has("evaluated") || request.reached.has("asked the app")) return;
    const isFirst = !request.reached.has("counted");
    for (const { key, by } of changes) {
      if (by > 0) history.raised.set(key, [...(history.raised.get(key) ?? []), { request, by, isFirst }]);
    }
    request.reached.add("counted");
  }

  async function countsOf(asked: readonly string[]): Promise<readonly number[]> {
    const states = await kept.increment(asked.map((key) => ({ key, by: 0, ttlSeconds: 1 })));
    return states.map(({ count }) => count);
  }

  return {
    store: interceptStore(carried, ({ what }, ask) => {
      const faults = what.startsWith("get") ? readFaults : writeFaults;
      return scheduler.call({ what, faults, deadlineSeconds, carryOut: ask });
    }),
    journal,
    async find({ raised, found }) {
      const asked = [...raised.keys()].filter((key) => !found.counts.has(key));
      const counts = await countsOf(asked);
      for (const [index, key] of asked.entries()) found.counts.set(key, counts[index] ?? 0);
    },
    async findLeft() {
      const asked = [...keys];
      const [values, counts] = [await kept.get(asked), await countsOf(asked)];
      return asked.filter((_key, index) => values[index] !== undefined || counts[index] !== 0);
    },
  };
}
