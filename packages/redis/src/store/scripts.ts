import { createScript, type Script } from "./script.ts";

/*
 * How an entry is kept, for all scripts: one key, one hash, with those of these fields that the entry has.
 *
 *   v  the value               t  the token of the last holder
 *   n  the count               u  Unix milliseconds at which its lease ends, on the server's clock
 *
 * Each script touches one key, so that the keys of a list may live on different nodes of a cluster, and Redis runs a
 * script as a whole. Three facts of Redis shape them:
 *
 * - A full server refuses a script only at its first write. So the first write is one that takes memory, and nothing is
 *   half done; a DEL in front would make room for what must be refused.
 * - HSET keeps the lifetime of a key that exists, and a new key has none. So each path that may create ends in PEXPIRE,
 *   and the lifetimes were checked before they were sent.
 * - TIME stands still while a script runs, and replicas are sent what was written, not the script. So a lease ends at
 *   the same instant there; what PEXPIRE sets is sent as an instant, too.
 */

/** Writes a value; a count and a lease end. Arguments: value, lifetime in ms. */
export const putScript: Script = createScript(`
redis.call('HSET', KEYS[1], 'v', ARGV[1])
redis.call('HDEL', KEYS[1], 'n', 't', 'u')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/**
 * Changes a counter. Arguments: by, limit, lifetime in ms, whether to renew it.
 * Answers whether it was granted, the count, and the milliseconds left, below 0 for none. The count is a text: ioredis
 * reads integers close to 2^53 wrongly.
 */
export const incrementScript: Script = createScript(`
local left = redis.call('PTTL', KEYS[1])
local exists = left ~= -2
local by = tonumber(ARGV[1])
local count = redis.call('HGET', KEYS[1], 'n') or '0'
local sum = tonumber(count) + by
if sum > tonumber(ARGV[2]) then return {0, count, left} end
if by == 0 or (by < 0 and not exists) then return {1, count, left} end

count = string.format('%.0f', math.max(0, sum))
redis.call('HSET', KEYS[1], 'n', count)
if left < 0 or ARGV[4] == '1' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  left = tonumber(ARGV[3])
end
return {1, count, left}
`);

/** Takes or renews a lease. Arguments: token, lease in ms, lifetime in ms. Answers whether it is held, and the value. */
export const leaseScript: Script = createScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entry = redis.call('HMGET', KEYS[1], 't', 'u', 'v')
local taken = entry[1] and entry[1] ~= ARGV[1] and now < tonumber(entry[2])
if taken then return {0, entry[3]} end
redis.call('HSET', KEYS[1], 't', ARGV[1], 'u', string.format('%.0f', now + ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, entry[3]}
`);

/** Writes as the last holder. Arguments: token, lifetime in ms, whether to hold on, the value if any. Answers 1 or 0. */
export const settleScript: Script = createScript(`
if redis.call('HGET', KEYS[1], 't') ~= ARGV[1] then return 0 end
local hold, value = ARGV[3] == '1', ARGV[4]
if not value and not hold then return redis.call('DEL', KEYS[1]) end
if value then redis.call('HSET', KEYS[1], 'v', value) else redis.call('HDEL', KEYS[1], 'v') end
if not hold then redis.call('HDEL', KEYS[1], 't', 'u') end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);
