import { DoorcodeError } from "@doorcode/core";
import { type Clock, createDeadline, type Deadline } from "@doorcode/core/store";
import type { ClientBase, Pool } from "pg";
import { writeArray } from "./array-literal.ts";
import { checkOut, giveBack, refuseUnreachable, surviveIdleErrors } from "./check-out.ts";
import { isConflict, pauseAfterConflict } from "./conflict.ts";
import { withoutValues } from "./without-values.ts";

/** One statement. It selects every column as a `text`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A row whose columns are texts or null. */
export type Row = Readonly<Record<string, string | null>>;

/** Runs a statement and resolves to its rows. */
export type RunStatement = (statement: Statement) => Promise<readonly Row[]>;

/** Runs statements on connections of a pool. */
export interface Runner {
  /** Runs a statement under a deadline of its own. */
  readonly run: RunStatement;
  /** Runs a statement under a deadline that has begun before. The caller clears it. */
  runBefore(deadline: Deadline, statement: Statement): Promise<readonly Row[]>;
  /** Starts the deadline of a statement. */
  startDeadline(): Deadline;
}

/** The pool that statements run on, and the limit of their time. */
export interface RunnerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
}

/** The table, schema or column does not exist. */
const notMigrated: readonly unknown[] = ["42P01", "3F000", "42703"];

/**
 * Creates the runner of statements on connections of the pool, each in a transaction of its own.
 *
 * One deadline limits the wait for a connection, for the answer, and for repetitions. A connection that did not answer is
 * closed instead of used again.
 */
export function createRunner({ pool, clock, timeoutSeconds }: RunnerOptions): Runner {
  surviveIdleErrors(pool);

  async function runInPool(statement: Statement, deadline: Deadline): Promise<readonly Row[]> {
    const client = await checkOut(pool, deadline.race).catch(refuseUnreachable);
    let answered = false;
    try {
      const rows = await runUntilGranted(client, statement, deadline);
      answered = true;
      return rows;
    } finally {
      giveBack(client, { answered });
    }
  }

  async function runUntilGranted(client: ClientBase, statement: Statement, deadline: Deadline) {
    for (;;) {
      try {
        return await deadline.race(runOnClient(client, statement));
      } catch (error) {
        if (!isConflict(error)) throw error;
        await deadline.race(pauseAfterConflict(clock));
      }
    }
  }

  const startDeadline = () => createDeadline(clock, timeoutSeconds, () => createTimeoutError(timeoutSeconds));

  async function runBefore(deadline: Deadline, statement: Statement): Promise<readonly Row[]> {
    try {
      return await runInPool(statement, deadline);
    } catch (error) {
      throw explain(error);
    }
  }

  async function run(statement: Statement): Promise<readonly Row[]> {
    const deadline = startDeadline();
    try {
      return await runBefore(deadline, statement);
    } finally {
      deadline.clear();
    }
  }

  return { run, runBefore, startDeadline };
}

/** Runs a statement on a connection as it is, also inside a transaction. Rejects with PostgreSQL's error. */
export async function runOnClient(client: ClientBase, { text, values }: Statement): Promise<readonly Row[]> {
  try {
    const { rows } = await client.query<Row>({ text, values: values.map(toParameter), types: asText });
    return rows;
  } catch (error) {
    throw withoutValues(error);
  }
}

function toParameter(value: unknown): unknown {
  return Array.isArray(value) ? writeArray(value) : value;
}

/** An app may have changed how its pg reads columns, or switched it to binary. A text is the same either way. */
const asText = { getTypeParser: () => String };

function createTimeoutError(seconds: number): DoorcodeError {
  const message = `PostgreSQL did not answer within ${seconds} s: look for locks, a full pool, or a server that is down.`;
  return new DoorcodeError("store_unavailable", { message });
}

function explain(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (!notMigrated.includes(code)) return error;
  const message =
    "A table of @doorcode/postgres is missing or of an older version: run `await migrate(pool)`, or the SQL that " +
    "migration() writes, with the same names of schema and table.";
  return new DoorcodeError("store_unavailable", { message, cause: error });
}
