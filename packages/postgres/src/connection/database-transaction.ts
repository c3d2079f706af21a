import { orAborted } from "@doorcode/core/store";
import type { Pool, PoolClient } from "pg";
import { checkOut, giveBack } from "./check-out.ts";
import { isReadOnly } from "./conflict.ts";
import { withoutValues } from "./run-statement.ts";

/**
 * Runs work in a database transaction on a connection of the pool. Commits when the work resolves to true, and resolves to the same; rolls
 * back when it resolves to false, when it rejects, and when the signal aborts. The isolation level is READ COMMITTED under any default:
 * under a stricter one, the row of a lease that is renewed meanwhile could not be settled. Work that needs a stricter level sets it with
 * its first statement.
 *
 * A connection goes back to the pool only after it answered, and if it may write; otherwise it is closed, which rolls back as well. Rejects
 * with the error of the work, the reason of the signal, {@link AbortedTransaction}, or the error of PostgreSQL. When PostgreSQL closed the
 * connection, the transaction may have been committed.
 */
export async function inDatabaseTransaction(
  pool: Pool,
  signal: AbortSignal,
  work: (client: PoolClient) => Promise<boolean>,
): Promise<boolean> {
  const client = await checkOut(pool, (connecting) => orAborted(signal, connecting));
  let answered = false;
  let connectionError: unknown;
  const listen = (error: unknown) => {
    connectionError ??= error;
  };
  client.on("error", listen);

  async function finish(statement: "COMMIT" | "ROLLBACK"): Promise<string> {
    const { command } = await client.query(statement).catch((error: unknown) => {
      // The error of a constraint that is checked at COMMIT quotes rows.
      throw withoutValues(error);
    });
    answered = true;
    return command;
  }

  async function run(): Promise<boolean> {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
    const isToCommit = await work(client).catch(async (error: unknown) => {
      await finish("ROLLBACK").catch(() => undefined);
      throw error;
    });
    const command = await finish(isToCommit ? "COMMIT" : "ROLLBACK");
    // PostgreSQL answers a COMMIT like this, without an error, when an earlier statement failed and its error was
    // ignored.
    if (isToCommit && command === "ROLLBACK") throw new AbortedTransaction();
    return isToCommit;
  }

  try {
    return await orAborted(signal, run());
  } catch (error) {
    // A session that began while the server was read-only stays so, and would fail every later handler.
    if (isReadOnly(error)) answered = false;
    throw connectionError ?? error;
  } finally {
    if (answered) client.removeListener("error", listen);
    giveBack(client, { answered });
  }
}

/** A statement failed, its error was ignored, and PostgreSQL rolled everything back. */
export class AbortedTransaction extends Error {
  override readonly name = "AbortedTransaction";

  constructor(cause?: unknown) {
    super(
      "A statement of the transaction failed and its error was caught: let the error through, or use a SAVEPOINT.",
      cause === undefined ? undefined : { cause },
    );
  }
}
