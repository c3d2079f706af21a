import type { DatabaseSync } from "node:sqlite";

/** Groups writes to a database into batches: one transaction for each synchronous run of code. */
export interface WriteBatches {
  /** Runs a write in the current batch, and begins one if there is none. */
  write(write: () => void): void;
  /** Commits the current batch. Later writes are ignored. */
  end(): void;
}

/**
 * Creates the write batches of a database. The first write begins a transaction and queues a microtask that commits it,
 * so the batch is in the file before any answer that depends on it can leave the process.
 *
 * When a write fails, for example because the disk is full, the batch is rolled back. Memory and file then differ for
 * good. The error is thrown from the microtask, where nothing can catch it, so that the process ends with the last
 * complete batch in the file. In a program that survives this, every later write throws the same error.
 *
 * @param toError - creates the error from its cause.
 */
export function createWriteBatches(database: DatabaseSync, toError: (cause: unknown) => Error): WriteBatches {
  const statements = { begin: database.prepare("BEGIN"), commit: database.prepare("COMMIT") };
  let state: "idle" | "writing" | "ended" = "idle";
  let failure: Error | undefined;

  const attempt = (step: () => void) => {
    if (failure) return;
    try {
      step();
    } catch (error) {
      failure = toError(error);
    }
  };
  const commit = () => {
    if (state !== "writing") return;
    state = "idle";
    attempt(() => statements.commit.run());
    if (!failure) return;
    if (database.isTransaction) database.exec("ROLLBACK");
    throw failure;
  };
  const begin = () => {
    state = "writing";
    queueMicrotask(commit);
    attempt(() => statements.begin.run());
  };

  return {
    write(write) {
      if (state === "ended") return;
      if (state === "idle" && failure) throw failure;
      if (state === "idle") begin();
      attempt(write);
    },
    end() {
      try {
        commit();
      } finally {
        state = "ended";
      }
    },
  };
}
