import { DoorcodeError } from "@doorcode/core";
import { type Clock, createDeadline, type Deadline } from "@doorcode/core/store";
import type { ClientBase, Pool } from "pg";
import { checkOut, giveBack, refuseUnreachable, surviveIdleErrors } from "./check-out.ts";
import { isConflict, pauseAfterConflict } from "./conflict.ts";

/** A row whose columns are texts or null. A statement casts what has another form as a text to `text`. */
export type Row = Readonly<Record<string, string | null>>;

/** Runs a statement and resolves to its rows. */
export type RunStatement = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** The pool that statements run on, and the limit of their time. */
export interface RunnerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly timeoutSeconds: number;
}

/** The functions that run statements on connections of a pool. */
export interface Runner {
  /** Runs one statement. */
  readonly run: RunStatement;
  /** Does work of several statements, which have one deadline together. */
  inTime<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result>;
}

/**
 * Creates the functions that run statements on connections of the pool, each in its own transaction. One deadline limits the wait for a
 * connection, for the answer, and for repetitions after a conflict. A connection that did not answer is closed instead of used again, so a
 * late answer is never taken for that of another statement.
 */
export function createRunner({ pool, clock, timeoutSeconds }: RunnerOptions): Runner {
  surviveIdleErrors(pool);

  async function runInPool(text: string, values: readonly unknown[], deadline: Deadline): Promise<readonly Row[]> {
    const client = await checkOut(pool, deadline.race).catch(refuseUnreachable);
    let answered = false;
    try {
      const rows = await repeatConflicts(() => runOnClient(client, text, values), deadline);
      answered = true;
      return rows;
    } finally {
      giveBack(client, { answered });
    }
  }

  async function repeatConflicts<Result>(attempt: () => Promise<Result>, deadline: Deadline): Promise<Result> {
    for (;;) {
      try {
        return await deadline.race(attempt());
      } catch (error) {
        if (!isConflict(error)) throw error;
        await deadline.race(pauseAfterConflict(clock));
      }
    }
  }

  async function inTime<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    const deadline = createDeadline(clock, timeoutSeconds, () => createTimeoutError(timeoutSeconds));
    try {
      return await work((text, values) => runInPool(text, values, deadline));
    } catch (error) {
      throw explain(error);
    } finally {
      deadline.clear();
    }
  }

  return { inTime, run: (text, values) => inTime((run) => run(text, values)) };
}

/** Runs a statement on a connection as it is, also inside a transaction. Rejects with PostgreSQL's error. */
export async function runOnClient(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  try {
    const { rows } = await client.query<Row>({ text, values: [...values], types: asText });
    return rows;
  } catch (error) {
    throw withoutValues(error);
  }
}

/** An app may have changed how its pg reads columns, or switched it to binary. A text is the same either way. */
const asText = { getTypeParser: () => String };

const quotations: readonly string[] = ["detail", "where", "internalQuery"];

/**
 * Removes from an error what PostgreSQL quotes of the statement, because errors are published and phone numbers may be in it: `detail`
 * contains rows, and `where` contains parameters if the server sets `log_parameter_max_length_on_error`.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  for (const quotation of quotations) if (quotation in error) Reflect.set(error, quotation, undefined);
  return error;
}

function createTimeoutError(seconds: number): DoorcodeError {
  const advice = "look for locks, a full pool, or a server that is down";
  const message = `PostgreSQL did not answer within ${seconds} s: ${advice}.`;
  return new DoorcodeError("store_unavailable", { message });
}

/** The table, schema or column does not exist. */
const notMigrated: readonly unknown[] = ["42P01", "3F000", "42703"];

function explain(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (!notMigrated.includes(code)) return error;
  const message =
    "A table of @doorcode/postgres is missing or of another version: run `await migrate(pool)`, or the SQL that " +
    "migration() writes, with the same names of schema and table.";
  return new DoorcodeError("store_unavailable", { message, cause: error });
}
