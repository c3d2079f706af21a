import type { DatabaseSync } from "node:sqlite";

/** Writes to a database in whole acts: all that one synchronous run of code writes. */
export interface Acts {
  /** Runs a write as part of the act under way, which it begins if there is none. */
  write(write: () => void): void;
  /** Commits the act under way now; nothing is written any more. */
  end(): void;
}

/**
 * Creates the acts of a database: a transaction begins at the first write and is committed in a microtask queued there,
 * before anything that answers for it can leave the process.
 *
 * A write that fails (a full disk) undoes its act. Memory and file then disagree for good, so what `refuse` makes of
 * the cause is thrown where nobody catches it: the process ends with the last whole act in the file. A program that
 * lives on nevertheless gets it from each later write.
 */
export function createActs(database: DatabaseSync, refuse: (cause: unknown) => Error): Acts {
  const statements = { begin: database.prepare("BEGIN"), commit: database.prepare("COMMIT") };
  let state: "idle" | "writing" | "ended" = "idle";
  let failure: Error | undefined;

  const tried = (step: () => void) => {
    if (failure) return;
    try {
      step();
    } catch (error) {
      failure = refuse(error);
    }
  };
  const commit = () => {
    if (state !== "writing") return;
    state = "idle";
    tried(() => statements.commit.run());
    if (!failure) return;
    if (database.isTransaction) database.exec("ROLLBACK");
    throw failure;
  };
  const begin = () => {
    state = "writing";
    queueMicrotask(commit);
    tried(() => statements.begin.run());
  };

  return {
    write(write) {
      if (state === "ended") return;
      if (state === "idle" && failure) throw failure;
      if (state === "idle") begin();
      tried(write);
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
