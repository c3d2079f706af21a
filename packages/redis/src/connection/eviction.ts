import type { RedisClient } from "./client.ts";
import type { Part } from "./unavailable.ts";

const losses: Readonly<Record<Part, string>> = {
  store: "the counts of used-up attempts",
  inbox: "webhooks that were acknowledged",
};

/** Warns once connected if the server may evict entries. A server that hides its policy causes no warning. */
export function warnOfEviction(client: RedisClient, part: Part): void {
  client.once("ready", async () => {
    const info = await client.info("memory").catch(() => "");
    const policy = info.match(/^maxmemory_policy:([\w-]+)/m)?.[1];
    if (policy === undefined || policy === "noeviction") return;
    process.emitWarning(
      `Redis evicts keys when it is full (maxmemory-policy ${policy}), and with them ${losses[part]}: set it to noeviction.`,
      { type: "DoorcodeWarning", code: "redis_evicts" },
    );
  });
}
