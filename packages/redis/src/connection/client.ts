import type { Cluster, Redis } from "ioredis";

/** A client of ioredis: for one server, for Sentinels, or for a cluster. */
export type RedisClient = Redis | Cluster;

/** Returns the `keyPrefix` of a client. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
