import { createRequire } from "node:module";

/** Runs a statement for pg-boss. */
export interface BossDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A job as it is taken; `retryCount` tells one attempt from another. */
export interface BossJob {
  readonly id: string;
  readonly data: unknown;
  readonly retryCount: number;
}

/** A job as it is looked up. */
export interface StoredJob extends BossJob {
  readonly state: string;
}

interface On {
  readonly db: BossDatabase;
}

/** How many jobs an act touched. */
interface Touched {
  readonly affected: number;
}

/**
 * The part of pg-boss 12 that the inbox uses.
 *
 * Written out, since the declarations that pg-boss ships name a type that they do not have, and do not compile.
 */
export interface Boss {
  on(event: "error", listener: (error: unknown) => void): void;
  start(): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<void>;
  createQueue(name: string, options: Readonly<Record<string, unknown>>): Promise<void>;
  updateQueue(name: string, options: Readonly<Record<string, unknown>>): Promise<void>;
  send(name: string, data: object, options: Readonly<Record<string, unknown>>): Promise<string | null>;
  fetch(name: string, options: On & { readonly batchSize: number }): Promise<readonly BossJob[]>;
  touch(name: string, job: BossJob, options: On): Promise<Touched>;
  complete(name: string, job: BossJob, data: null, options: On): Promise<Touched>;
  deleteJob(name: string, job: BossJob | string, options: On): Promise<Touched>;
  findJobs(
    name: string,
    options: Partial<On> & ({ readonly id: string } | { readonly key: string }),
  ): Promise<readonly StoredJob[]>;
}

/**
 * Loads pg-boss, which only those install who have an inbox, and creates an instance of it.
 *
 * @throws TypeError that says what to install.
 */
export function createBoss(options: Readonly<Record<string, unknown>>): Boss {
  const require = createRequire(import.meta.url);
  try {
    const { PgBoss }: { PgBoss: new (options: object) => Boss } = require("pg-boss");
    return new PgBoss(options);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new TypeError("createBossInbox needs pg-boss 12: npm install pg-boss.", { cause: error });
  }
}
