import type { Redis } from "ioredis";
import { isDatabaseRefused } from "./error-reply.ts";

/**
 * Disconnects whenever Redis refuses the database of a client, before any command is sent.
 *
 * ioredis reports the refusal and goes on in database 0, where other programs may keep counters, sessions or a queue. The
 * connection is made again as after a loss, so everything works as soon as the database is permitted.
 */
export function requireDatabase(own: Redis): void {
  own.on("error", (error) => {
    if (isDatabaseRefused(error)) own.disconnect(true);
  });
}
