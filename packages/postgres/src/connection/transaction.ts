import type { Pool, PoolClient } from "pg";
import { checkOut, giveBack } from "./check-out.ts";
import { endAt } from "./deadline.ts";
import { withoutValues } from "./without-values.ts";

/** What the work of a transaction came to: it is committed only when it is to be. */
export interface TransactionEnd<Result> {
  readonly commit: boolean;
  readonly result: Result;
}

/**
 * Runs work in a transaction on a connection of the pool, and rolls back when it rejects, is not to be committed, or is
 * given up.
 *
 * A connection goes back to the pool only after it answered; in every other case it is closed, which rolls back as well.
 * The isolation is READ COMMITTED, whatever the default: under a stricter one the row of a lease that is renewed meanwhile
 * could not be settled. Work that needs more says so with its first statement.
 *
 * Rejects with what the work rejects with, with the reason of the signal, with {@link AbortedTransaction}, or with what
 * PostgreSQL says, also when it closed the connection: nobody knows then whether it was committed.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<TransactionEnd<Result>>,
  signal?: AbortSignal,
): Promise<Result> {
  const end = endAt(signal);
  const client = await checkOut(pool, end);
  let answered = false;
  let farewell: unknown;
  const listen = (error: unknown) => {
    farewell ??= error;
  };
  client.on("error", listen);

  async function finish(asked: "COMMIT" | "ROLLBACK"): Promise<string> {
    const { command } = await client.query(asked).catch((error: unknown) => {
      // Constraints that are checked at COMMIT quote rows.
      throw withoutValues(error);
    });
    answered = true;
    return command;
  }

  async function run(): Promise<Result> {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    const { commit, result } = await work(client).catch(async (error: unknown) => {
      await finish("ROLLBACK").catch(() => undefined);
      throw error;
    });
    const command = await finish(commit ? "COMMIT" : "ROLLBACK");
    // PostgreSQL answers so, and without an error, when a statement before had failed and was passed over.
    if (commit && command === "ROLLBACK") throw new AbortedTransaction();
    return result;
  }

  try {
    return await end.meet(run());
  } catch (error) {
    throw farewell ?? error;
  } finally {
    end.clear();
    if (answered) client.removeListener("error", listen);
    giveBack(client, { answered });
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
