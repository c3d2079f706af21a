import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Explored, Extent } from "./explore.ts";

/** A change of the code that an invariant must notice. */
export interface Mutation {
  /** The file below `packages/core/src`. */
  readonly file: string;
  /** The code, which the file has once, and what it becomes. */
  readonly code: string;
  readonly becomes: string;
}

/** What is explored. */
export interface ExplorationOptions extends Extent {
  /** The number of schedules of all scenarios together. Each scenario has the same part, whether others are explored or not. */
  readonly schedules: number;
  /** The scenarios whose title has this text. Default: all. */
  readonly only?: string;
  /** The number of threads. Default: one for each core. */
  readonly threads?: number;
  readonly mutation?: Mutation;
  /** True for a store in a file of SQLite. Default: false, in memory. */
  readonly inFile?: boolean;
  /** Called with each scenario that was explored. */
  readonly onExplored?: (explored: Explored) => void;
}

/** What a thread is given. */
export interface ExplorationTask {
  readonly extent: Extent;
  readonly only: string;
  /** The place of the next scenario, which the threads share. */
  readonly next: SharedArrayBuffer;
  readonly mutation: Mutation | undefined;
  readonly inFile: boolean;
}

/** Explores the scenarios on all cores. Returns what came of each, in their order. */
export async function exploreAll(options: ExplorationOptions): Promise<readonly Explored[]> {
  const { only = "", threads = availableParallelism(), mutation, inFile = false, onExplored, ...extent } = options;
  const task: ExplorationTask = { extent, only, next: new SharedArrayBuffer(4), mutation, inFile };
  const found: { readonly index: number; readonly explored: Explored }[] = [];
  const runThread = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("worker.ts", import.meta.url), {
        workerData: task,
        execArgv: ["--conditions=@doorcode/source", "--disable-warning=ExperimentalWarning"],
        // Each schedule leaves a whole world behind.
        resourceLimits: { maxYoungGenerationSizeMb: 64 },
      });
      worker.on("message", (message: (typeof found)[number]) => {
        found.push(message);
        onExplored?.(message.explored);
      });
      worker.once("error", reject);
      worker.once("exit", resolve);
    });
  await Promise.all(Array.from({ length: threads }, runThread));
  return found.sort((left, right) => left.index - right.index).map(({ explored }) => explored);
}
