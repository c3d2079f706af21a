import type { RedisClient } from "./options.ts";

/**
 * Warns once, when connected, of a server that may evict entries: with a counter go the attempts that were used up.
 *
 * A server that does not tell its policy is not warned of.
 */
export function warnOfEviction(client: RedisClient): void {
  client.once("ready", async () => {
    const info = await client.info("memory").catch(() => "");
    const policy = info.match(/^maxmemory_policy:([\w-]+)/m)?.[1];
    if (policy === undefined || policy === "noeviction") return;
    process.emitWarning(
      `Redis evicts keys when it is full (maxmemory-policy ${policy}), which gives used-up attempts back: set it to noeviction.`,
      { type: "DoorcodeWarning", code: "redis_evicts" },
    );
  });
}
