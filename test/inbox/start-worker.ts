import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createJournal, type Journal } from "./journal.ts";
import type { WorkerNote, WorkerOrder, WorkerSettings } from "./worker-process.ts";

/** A worker process, without a framework and without a mount. */
export interface WorkerProcess {
  readonly notes: Journal<WorkerNote>;
  order(order: WorkerOrder): void;
  /** Resolves when that many handlers have begun. */
  begun(count?: number): Promise<void>;
  /** Resolves when the kit has published that many events of the type. */
  published(type: string, count?: number): Promise<void>;
  /** Kills it with `kill -9`. */
  kill(): Promise<void>;
  /** Suspends it, like a machine that sleeps. */
  suspend(): void;
  resume(): void;
  /** Resolves when it has ended by itself. */
  ended(): Promise<number | null>;
}

/** Starts a worker process. It ends with the test at the latest. */
export async function startWorker(
  settings: Pick<WorkerSettings, "place"> & Partial<WorkerSettings>,
): Promise<WorkerProcess> {
  const given: WorkerSettings = { concurrency: 4, handlerSeconds: 60, halting: [], ...settings };
  const child: ChildProcess = fork(join(import.meta.dirname, "worker-process.ts"), [JSON.stringify(given)], {
    execArgv: ["-C", "@doorcode/source"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const notes = createJournal<WorkerNote>();
  child.on("message", (note: WorkerNote) => notes.note(note));
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  await Promise.race([
    notes.reached(({ type }) => type === "working"),
    exited.then(() => Promise.reject(new Error("The worker process ended at its start."))),
  ]);
  return {
    notes,
    order: (order) => void child.send(order),
    begun: async (count) => void (await notes.reached(({ type }) => type === "begun", count)),
    async published(type, count) {
      await notes.reached((note) => note.type === "published" && note.event.type === type, count);
    },
    kill,
    suspend: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    ended: async () => (await exited)[0],
  };
}
