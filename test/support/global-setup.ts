import { join, resolve } from "node:path";
import { build, builtVariable } from "./build.ts";
import { findPostgres, sharedPostgresVariable } from "./postgres-server.ts";
import { findRedis, sharedRedisVariable } from "./redis-server.ts";

const root = resolve(import.meta.dirname, "../..");

/**
 * Builds the packages, because commands are tested as they are shipped, and starts the servers that all test files share.
 *
 * @returns what stops these servers.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  if (!process.env[builtVariable]) build();
  // For this run alone: a test may run the test command in another folder.
  delete process.env[builtVariable];
  // Tests start hundreds of processes, which all compile the same files.
  process.env.NODE_COMPILE_CACHE ??= join(root, ".doorcode", "compiled");
  const redis = await findRedis();
  if (redis) process.env[sharedRedisVariable] = redis.url;
  const postgres = await findPostgres();
  if (postgres) process.env[sharedPostgresVariable] = postgres.url;
  return async () => void (await Promise.all([redis?.close(), postgres?.close()]));
}
