import type { Redis } from "ioredis";
import { isRefusedDatabase } from "./refusal.ts";

/**
 * Ends each connection that is refused the database of its client, before anything is asked on it.
 *
 * ioredis tells of the refusal and goes on in database 0, where a counter, a session or a queue of somebody else may stand.
 * The connection is made again as after a loss, so all goes on once the database is permitted.
 */
export function keepToDatabase(client: Redis): void {
  client.on("error", (error) => {
    if (isRefusedDatabase(error)) client.disconnect(true);
  });
  // BullMQ makes the connection on which a worker waits by itself, from the one that it is given.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (options) => {
    const copy = duplicate(options);
    keepToDatabase(copy);
    return copy;
  };
}
