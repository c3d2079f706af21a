import type { Pool, PoolClient } from "pg";

/** What the work of a transaction came to: it is committed only when it is to be. */
export interface TransactionEnd<Result> {
  readonly commit: boolean;
  readonly result: Result;
}

/**
 * Runs work in a transaction on a connection of the pool, and rolls back when it rejects or is not to be committed.
 *
 * A connection goes back to the pool only after it answered; in every other case it is closed, which rolls back as well.
 *
 * Rejects with what the work rejects with, with {@link AbortedTransaction}, or with what PostgreSQL says: nobody knows
 * then whether it was committed.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<TransactionEnd<Result>>,
): Promise<Result> {
  const client = await pool.connect();
  let answered = false;
  client.on("error", ignore);
  try {
    await client.query("BEGIN");
    const { commit, result } = await work(client);
    const { command } = await client.query(commit ? "COMMIT" : "ROLLBACK");
    answered = true;
    // PostgreSQL answers so, and without an error, when a statement before had failed and was passed over.
    if (commit && command === "ROLLBACK") throw new AbortedTransaction();
    return result;
  } finally {
    client.removeListener("error", ignore);
    client.release(!answered);
  }
}

/** A statement failed, its error was passed over, and PostgreSQL rolled everything back. */
export class AbortedTransaction extends Error {
  override readonly name = "AbortedTransaction";

  constructor(cause?: unknown) {
    super(
      "A statement of the transaction failed and its error was caught: let it through, or use a SAVEPOINT.",
      cause === undefined ? undefined : { cause },
    );
  }
}

function ignore(): void {}
