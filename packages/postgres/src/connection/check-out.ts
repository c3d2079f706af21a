import { DoorcodeError } from "@doorcode/core";
import type { Pool, PoolClient } from "pg";
import type { Deadline } from "./deadline.ts";

/**
 * Takes a connection from the pool in time; one that comes too late goes back. Rejects as the deadline and the pool do.
 *
 * @throws DoorcodeError `store_unavailable` for a connection on which somebody else's transaction is still open: what is
 * done here must not be undone by that one's rollback, and must not commit that one's half.
 */
export async function checkOut(pool: Pool, deadline: Pick<Deadline, "meet"> = patience): Promise<PoolClient> {
  const connecting = connect(pool);
  const client = await deadline.meet(connecting).catch((error: unknown) => {
    // Comes too late to be used, but must not be lost to the pool.
    connecting.then((late) => giveBack(late, { answered: true })).catch(() => undefined);
    throw error;
  });
  // Early versions of pg 8 cannot tell.
  const status = client.getTransactionStatus?.();
  if (status !== "T" && status !== "E") return client;
  giveBack(client, { answered: false });
  const message = "A connection came back to the pool inside a transaction: COMMIT or ROLLBACK before release().";
  throw new DoorcodeError("store_unavailable", { message });
}

/** For whoever waits as long as the pool does. */
const patience: Pick<Deadline, "meet"> = { meet: (work) => work };

/**
 * Connects, and listens in the same run of code in which the pool hands the connection out: a server that dies just then
 * says so in the packet of its greeting, and an error that nobody listens to ends the process. By a promise it would be
 * one turn too late.
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
 * Gives a connection back. One that did not answer is closed: nobody knows what state it is in, or whether the server
 * behind it may still be written to.
 */
export function giveBack(client: PoolClient, { answered }: { readonly answered: boolean }): void {
  if (answered) client.removeListener("error", ignore);
  client.release(!answered);
}

/** The server closes idle connections when it stops; without a listener that would end the process. */
export function surviveIdleErrors(pool: Pool): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
}

/** For errors that whoever asks is told anyway. */
function ignore(): void {}
