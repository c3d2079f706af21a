import type { Redis } from "ioredis";

/** Shortens the lifetimes and the leases of entries. */
const shorten = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local leasedUntil = redis.call('TYPE', key).ok == 'hash' and redis.call('HGET', key, 'u')
  if leasedUntil then redis.call('HSET', key, 'u', string.format('%.0f', leasedUntil - ARGV[2])) end
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, string.format('%.0f', left - ARGV[2])) end
end
`;

/** Ends leases. Other kinds of keys may stand between the entries. */
const endLeases = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  if redis.call('TYPE', key).ok == 'hash' then
    local leasedUntil = redis.call('HGET', key, 'u')
    if leasedUntil and tonumber(leasedUntil) <= tonumber(ARGV[2]) then redis.call('HSET', key, 'u', '1') end
  end
end
`;

/**
 * Lets time pass for the entries of a store on a server of Redis.
 *
 * Moving every expiry back is the same as moving the server's clock on.
 *
 * @param pattern - names the keys of the entries, as `KEYS` takes it.
 */
export async function passRedisTime(server: Redis, pattern: string, milliseconds: number): Promise<void> {
  await server.eval(shorten, 0, pattern, milliseconds);
}

/**
 * Ends the leases of the entries whose keys begin with a prefix, and leaves their lifetimes as they are.
 *
 * @param latest - Unix milliseconds: leases that would run out later stay. All end when left out.
 */
export async function endRedisLeases(
  server: Redis,
  prefix: string,
  latest: number = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await server.eval(endLeases, 0, `${prefix}*`, latest);
}
