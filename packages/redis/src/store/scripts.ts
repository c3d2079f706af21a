import { createScript, type Script } from "./script.ts";

/*
 * An entry is one hash under one key, with some of these fields:
 *
 *   v  the value               t  the token of the last holder
 *   n  the count               u  the end of the lease, as Unix milliseconds on the server's clock
 *
 * Each script uses one key, so the keys of a list may be on different nodes of a cluster. Redis runs a script as a whole.
 * The scripts rely on three properties of Redis:
 *
 * - A full server rejects a script only at its first write. So the first write of a script is one that needs memory, and
 *   no script stops halfway. A DEL before it would free memory for a write that must be rejected. A counter that ends only frees.
 * - HSET keeps the lifetime of an existing key, and a new key has none. So each path that may create a key ends with
 *   PEXPIRE, and lifetimes are checked before they are sent.
 * - TIME does not change while a script runs, and replicas receive its writes, not the script. So a lease ends at the same
 *   instant on a replica, and so does a lifetime, since Redis sends PEXPIRE as an instant.
 */

/** Writes a value and removes the count and the lease. Arguments: value, lifetime in ms. */
export const putScript: Script = createScript(`
redis.call('HSET', KEYS[1], 'v', ARGV[1])
redis.call('HDEL', KEYS[1], 'n', 't', 'u')
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/**
 * Changes a counter. Arguments: by, limit, lifetime in ms, whether to renew it.
 * Returns whether the change was granted, the count, and the milliseconds left, below 0 for none. The count is a string,
 * since ioredis misreads integers close to 2^53.
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
if sum > 0 then
  redis.call('HSET', KEYS[1], 'n', count)
else
  redis.call('HDEL', KEYS[1], 'n')
  if redis.call('EXISTS', KEYS[1]) == 0 then return {1, count, -2} end
end
if left < 0 or ARGV[4] == '1' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  left = tonumber(ARGV[3])
end
return {1, count, left}
`);

/** Takes or renews a lease. Arguments: token, lease in ms, lifetime in ms. Returns whether it is held, and the value. */
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

/** Writes as the last holder. Arguments: token, lifetime in ms, whether to keep the lease, the value if any. Returns 1 or 0. */
export const settleScript: Script = createScript(`
if redis.call('HGET', KEYS[1], 't') ~= ARGV[1] then return 0 end
local hold, value = ARGV[3] == '1', ARGV[4]
if not value and not hold then return redis.call('DEL', KEYS[1]) end
if value then redis.call('HSET', KEYS[1], 'v', value) else redis.call('HDEL', KEYS[1], 'v') end
if not hold then redis.call('HDEL', KEYS[1], 't', 'u') end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);
