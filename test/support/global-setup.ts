import { build, builtVariable, keepCompiled } from "./build.ts";
import { findPostgres, sharedPostgresVariable } from "./postgres-server.ts";
import { findRedis, sharedRedisVariable } from "./redis-server.ts";

/**
 * Builds the packages, because commands are tested as they are shipped, and starts the servers that all test files share.
 *
 * @returns what stops these servers.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  if (!process.env[builtVariable]) build();
  // For this run alone: a test may run the test command in another folder.
  delete process.env[builtVariable];
  keepCompiled();
  const redis = await findRedis();
  if (redis) process.env[sharedRedisVariable] = redis.url;
  const postgres = await findPostgres();
  if (postgres) process.env[sharedPostgresVariable] = postgres.url;
  return async () => void (await Promise.all([redis?.close(), postgres?.close()]));
}
