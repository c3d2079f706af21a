import type { RedisClient } from "../connection/client.ts";

/**
 * The layout. Each entry of the store is one hash under one key, with some of these fields:
 *
 *   v  the value
 *   n  the count
 *   t  the token of the last holder of the lease
 *   u  the end of the lease, as Unix milliseconds on the server's clock
 *
 * Each script changes one entry, so a cluster needs nothing more. Four facts about Redis shape the scripts:
 *
 * - A full server refuses a script only at its first write. So the first write of each script is an HSET, which needs
 *   memory, and no script stops halfway. A script that only deletes is not refused.
 * - HSET keeps the lifetime of a key, and gives a new key none. So each script sets a lifetime, and lifetimes are
 *   checked before they are sent: EXPIRE with a wrong one would fail after the write.
 * - TIME does not change while a script runs. Replicas receive the writes of a script and not the script, and EXPIRE
 *   as an instant. So leases and lifetimes end at the same instant on each server.
 * - A command for hashes is refused for a string, a list or a set. So nothing of another program is overwritten.
 */
const scripts: Readonly<Record<keyof StoreScripts, string>> = {
  putEntry: `
local key, value, ttl = KEYS[1], ARGV[1], ARGV[2]
redis.call('HSET', key, 'v', value)
redis.call('HDEL', key, 'n', 't', 'u')
redis.call('EXPIRE', key, ttl)`,

  // Redis removes a hash with its last field. The count is sent as text, since ioredis misreads integers close to 2^53.
  changeCounter: `
local key, by, limit, ttl, renew = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4] == '1'
local count, left = tonumber(redis.call('HGET', key, 'n') or 0), redis.call('PTTL', key)
local sum = count + by
if sum > limit then return {0, string.format('%d', count), left} end
if by ~= 0 then
  if sum > 0 then redis.call('HSET', key, 'n', string.format('%d', sum)) else redis.call('HDEL', key, 'n') end
  if renew or left < 0 then redis.call('EXPIRE', key, ttl) end
  left = redis.call('PTTL', key)
end
return {1, string.format('%d', math.max(sum, 0)), left}`,

  takeLease: `
local key, token, length, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry = redis.call('HMGET', key, 't', 'u', 'v')
local holder, leasedUntil, value = entry[1], entry[2], entry[3]
if holder and holder ~= token and now < tonumber(leasedUntil) then return {0, value} end
redis.call('HSET', key, 't', token, 'u', string.format('%d', now + length * 1000))
redis.call('EXPIRE', key, ttl)
return {1, value}`,

  settleLease: `
local key, token, ttl, hold, value = KEYS[1], ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4]
if redis.call('HGET', key, 't') ~= token then return 0 end
if not value and not hold then return redis.call('DEL', key) end
if value then redis.call('HSET', key, 'v', value) else redis.call('HDEL', key, 'v') end
if not hold then redis.call('HDEL', key, 't', 'u') end
redis.call('EXPIRE', key, ttl)
return 1`,
};

/** The scripts as commands of ioredis. `ttl` and `length` are seconds. */
export interface StoreScripts {
  /** Writes a value, and ends a lease and a counter. */
  putEntry(key: string, value: string, ttl: number): Promise<null>;
  /** Replies with 1 if the change is granted, with the count, and with the milliseconds left: below 0 without an entry. */
  changeCounter(key: string, by: number, limit: number, ttl: number, renew: 0 | 1): Promise<[0 | 1, string, number]>;
  /** Replies with 1 if `token` holds the lease, and with the value. */
  takeLease(key: string, token: string, length: number, ttl: number): Promise<[0 | 1, string | null]>;
  /** Writes a value, or deletes without one. Replies with 1 if `token` was the last holder; else nothing was done. */
  settleLease(key: string, token: string, ttl: number, hold: 0 | 1, ...value: string[]): Promise<0 | 1>;
}

/** Adds the scripts to a connection. ioredis sends a script's text once over each connection, and its digest after that. */
export function defineScripts(own: RedisClient): RedisClient & StoreScripts {
  for (const [name, lua] of Object.entries(scripts)) own.defineCommand(name, { numberOfKeys: 1, lua });
  return own as RedisClient & StoreScripts;
}
