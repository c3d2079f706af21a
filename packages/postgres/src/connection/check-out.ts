import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import type { Pool, PoolClient } from "pg";

/** Limits how long work is waited for: settles as the work does, or rejects first. */
export type Race = <Result>(work: Promise<Result>) => Promise<Result>;

/**
 * Takes a connection from the pool, within the race or as long as the pool waits; a connection that comes later goes back.
 *
 * @throws DoorcodeError `store_unavailable` for a connection on which someone left a transaction open: a rollback of that transaction would
 * undo what is done here, and a commit here would commit half of that transaction.
 */
export async function checkOut(pool: Pool, race: Race = (connecting) => connecting): Promise<PoolClient> {
  const connecting = connect(pool);
  const client = await race(connecting).catch((error: unknown) => {
    // A connection that comes too late must not be lost to the pool.
    connecting.then((late) => giveBack(late, { answered: true })).catch(() => undefined);
    throw error;
  });
  // Early versions of pg 8 lack this method.
  const status = client.getTransactionStatus?.();
  if (status !== "T" && status !== "E") return client;
  giveBack(client, { answered: false });
  const message = "A connection came back to the pool inside a transaction: COMMIT or ROLLBACK before release().";
  throw new DoorcodeError("store_unavailable", { message });
}

/**
 * Connects, and listens for errors in the same run of code in which the pool hands the connection out. A server that dies at that moment
 * reports an error in the packet of its greeting, and an error without a listener ends the process. After a promise, the listener would
 * come one turn too late.
 */
function connect(pool: Pool): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      if (!client) return reject(error);
      client.on("error", ignore);
      resolve(client);
    });
  });
}

/**
 * Says what to check when the pool gives no connection: the error of pg, which becomes the cause, does not say what to change.
 *
 * @throws DoorcodeError `store_unavailable` with the error as its cause; an error of the kit as it is
 */
export function refuseUnreachable(error: unknown): never {
  if (isDoorcodeError(error)) throw error;
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    `PostgreSQL gives no connection (${reason}): check that it runs, that the pool has its address and password, and ` +
    "that enough connections are free.";
  throw new DoorcodeError("store_unavailable", { message, cause: error });
}

/**
 * Gives a connection back to the pool. A connection that did not answer is closed: its state is unknown, and its server may be read-only.
 */
export function giveBack(client: PoolClient, { answered }: { readonly answered: boolean }): void {
  if (answered) client.removeListener("error", ignore);
  client.release(!answered);
}

/** Listens for errors of idle connections: the server closes them when it stops, which would end the process. */
export function surviveIdleErrors(pool: Pool): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
}

/** Ignores an error that the caller of a statement receives anyway. */
function ignore(): void {}
