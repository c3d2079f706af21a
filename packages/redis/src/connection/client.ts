import type { Cluster, Redis } from "ioredis";

/** A client of ioredis: for one server, for Sentinels, or for a cluster. */
export type RedisClient = Redis | Cluster;

/** By what it can do, not by `instanceof`: an app may hold another copy of ioredis than this package. */
export function isClient(client: unknown): boolean {
  if (typeof client !== "object" || client === null) return false;
  return "duplicate" in client && "evalsha" in client && "defineCommand" in client && "status" in client;
}
