import type { Redis } from "ioredis";

/** Shortens what keys have left, of their lifetimes and of their leases. */
const shorten = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local leasedUntil = redis.call('HGET', key, 'u')
  if leasedUntil then redis.call('HSET', key, 'u', string.format('%.0f', leasedUntil - ARGV[2])) end
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[2])) end
end
`;

/**
 * Lets time pass for the entries of a store on a server of Redis.
 *
 * Moving every expiry back is the same as moving the server's clock on.
 *
 * @param pattern - names the keys of the entries, as `KEYS` takes it. They hold nothing but hashes.
 */
export async function passRedisTime(server: Redis, pattern: string, milliseconds: number): Promise<void> {
  await server.eval(shorten, 0, pattern, milliseconds);
}

/** Ends every lease of the entries whose keys begin with a prefix, and leaves their lifetimes as they are. */
export async function endRedisLeases(server: Redis, prefix: string): Promise<void> {
  for (const key of await server.keys(`${prefix}*`)) {
    if ((await server.type(key)) === "hash" && (await server.hexists(key, "u"))) await server.hset(key, "u", 1);
  }
}
