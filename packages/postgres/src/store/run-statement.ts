import { DoorcodeError } from "@doorcode/core";
import type { ClientBase, Pool } from "pg";
import { checkOut, giveBack, surviveIdleErrors } from "../connection/check-out.ts";
import { isConflict, pauseAfterConflict } from "../connection/conflict.ts";
import { createDeadline, type Deadline } from "../connection/deadline.ts";
import { withoutValues } from "../connection/without-values.ts";

/** One statement; every column that it answers is a `text`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A row whose columns are texts or null. */
export type Row = Readonly<Record<string, string | null>>;

/** Runs a statement and answers its rows. */
export type RunStatement = (statement: Statement) => Promise<readonly Row[]>;

/** No such table, schema or column. */
const notMigrated: readonly unknown[] = ["42P01", "3F000", "42703"];

/**
 * Creates what runs statements on connections of the pool, each in a transaction of its own.
 *
 * Waiting for a connection, the answer and repeats all stand under one deadline. A connection goes back to the pool only
 * after it answered; in every other case nobody knows what state it is in, or whether the server behind it may still be
 * written to, so it is closed.
 */
export function createRunner(pool: Pool, timeoutSeconds: number): RunStatement {
  surviveIdleErrors(pool);
  return async (statement) => {
    const deadline = createDeadline(timeoutSeconds);
    try {
      return await runInPool(pool, statement, deadline);
    } catch (error) {
      throw explain(error);
    } finally {
      deadline.clear();
    }
  };
}

async function runInPool(pool: Pool, statement: Statement, deadline: Deadline): Promise<readonly Row[]> {
  const client = await checkOut(pool, deadline);
  let answered = false;
  try {
    const rows = await runUntilGranted(client, statement, deadline);
    answered = true;
    return rows;
  } finally {
    giveBack(client, { answered });
  }
}

async function runUntilGranted(client: ClientBase, statement: Statement, deadline: Deadline): Promise<readonly Row[]> {
  for (;;) {
    try {
      return await deadline.meet(runOnClient(client, statement));
    } catch (error) {
      if (!isConflict(error)) throw error;
      await deadline.meet(pauseAfterConflict());
    }
  }
}

/** Runs a statement on a connection as it stands, also inside a transaction, and rejects with what PostgreSQL says. */
export async function runOnClient(client: ClientBase, { text, values }: Statement): Promise<readonly Row[]> {
  try {
    const { rows } = await client.query<Row>({ text, values: [...values], types: asText });
    return rows;
  } catch (error) {
    throw withoutValues(error);
  }
}

/** An app may have changed how its pg reads columns, or switched it to binary: a text is the same either way. */
const asText = { getTypeParser: () => String };

function explain(error: unknown): unknown {
  if (!notMigrated.includes(codeOf(error))) return error;
  const message =
    "The table of the store is not there or of an older version: run `await migrate(pool)` of @doorcode/postgres, " +
    "or the SQL that migration() writes, with the same schema and table.";
  return new DoorcodeError("store_unavailable", { message, cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
