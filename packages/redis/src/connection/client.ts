import type { Cluster, Redis } from "ioredis";

/** A client of ioredis: for one server, for Sentinels, or for a cluster. */
export type RedisClient = Redis | Cluster;

/** Tells whether a value is such a client. It does not use `instanceof`, since the app may use another copy of ioredis. */
export function isClient(client: unknown): client is RedisClient {
  if (typeof client !== "object" || client === null) return false;
  return "duplicate" in client && "evalsha" in client && "defineCommand" in client && "status" in client;
}

/** Returns the `keyPrefix` of a client. */
export function keyPrefixOf(client: RedisClient): string {
  const options = "nodes" in client ? { ...client.options.redisOptions, ...client.options } : client.options;
  return options.keyPrefix ?? "";
}
