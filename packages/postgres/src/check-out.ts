import { DoorcodeError } from "@doorcode/core";
import type { Pool, PoolClient } from "pg";
import type { Deadline } from "./deadline.ts";

/**
 * Takes a connection from the pool in time; one that comes too late goes back. Rejects as the deadline and the pool do.
 *
 * @throws DoorcodeError `store_unavailable` for a connection on which somebody else's transaction is still open: what is
 * done here must not be undone by that one's rollback, and must not commit that one's half.
 */
export async function checkOut(pool: Pool, deadline: Pick<Deadline, "meet">): Promise<PoolClient> {
  const connecting = pool.connect();
  const client = await deadline.meet(connecting).catch((error: unknown) => {
    // Comes too late to be used, but must not be lost to the pool.
    connecting.then((late) => late.release()).catch(() => undefined);
    throw error;
  });
  // Early versions of pg 8 cannot tell.
  const status = client.getTransactionStatus?.();
  if (status !== "T" && status !== "E") return client;
  client.release(true);
  const message = "A connection came back to the pool inside a transaction: COMMIT or ROLLBACK before release().";
  throw new DoorcodeError("store_unavailable", { message });
}

/** The server closes idle connections when it stops; without a listener that would end the process. */
export function surviveIdleErrors(pool: Pool): void {
  if (!pool.listeners("error").includes(ignore)) pool.on("error", ignore);
}

/** For errors that whoever asks is told anyway. */
export function ignore(): void {}
