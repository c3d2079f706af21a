import type { RedisClient } from "./client.ts";

/**
 * Warns once, when connected, of a server that may evict entries. One that does not tell its policy is not warned of.
 *
 * @param loss - what goes with them.
 */
export function warnOfEviction(client: RedisClient, loss: string): void {
  client.once("ready", async () => {
    const info = await client.info("memory").catch(() => "");
    const policy = info.match(/^maxmemory_policy:([\w-]+)/m)?.[1];
    if (policy === undefined || policy === "noeviction") return;
    process.emitWarning(
      `Redis evicts keys when it is full (maxmemory-policy ${policy}), and with them ${loss}: set it to noeviction.`,
      { type: "DoorcodeWarning", code: "redis_evicts" },
    );
  });
}
