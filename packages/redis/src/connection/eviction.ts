import type { RedisClient } from "./client.ts";

/**
 * Warns once connected if the server may evict entries. A server that hides its policy causes no warning.
 *
 * @param loss - the entries that would be lost.
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
