import { createScript, type Script } from "./script.ts";

/** A read or a change of one key, which {@link commandScript} carries out. */
export interface KeyCommand {
  readonly name: keyof typeof letters;
  readonly key: string;
  readonly values: readonly string[];
}

/** The commands, as the script calls them. */
const letters = {
  get: "g",
  put: "p",
  delete: "d",
  /** Reads a counter that no limit applies to. */
  read: "r",
  /** Changes a counter, and restarts its lifetime only if it has none. */
  count: "c",
  /** Changes a counter and restarts its lifetime. */
  renew: "n",
  lease: "l",
  settle: "s",
  /** Settles without a value. */
  clear: "x",
} as const;

/** Returns the keys of commands, and the other arguments of the script. */
export function scriptArguments(commands: readonly KeyCommand[]): {
  readonly keys: readonly string[];
  readonly values: readonly string[];
} {
  let names = "";
  const keys: string[] = [];
  const values: string[] = [];
  for (const command of commands) {
    names += letters[command.name];
    keys.push(command.key);
    values.push(...command.values);
  }
  return { keys, values: [names, ...values] };
}

/**
 * Carries out commands, one after the other. Its first argument has a letter for each key; the arguments of the commands follow.
 * It replies with a list that has one reply for each command. An error reply stands in the place of its own command only.
 *
 * An entry is one hash under one key, with some of these fields:
 *
 *   v  the value               t  the token of the last holder
 *   n  the count               u  the end of the lease, as Unix milliseconds on the server's clock
 *
 * Each command uses one key, so where keys are on different nodes, each command goes to the node of its key in a script of its
 * own. The script relies on three properties of Redis:
 *
 * - A full server rejects a script only at its first write. So the first write of a command is one that needs memory, and no
 *   command stops halfway. A DEL before it would free memory for a write that must be rejected. A counter that ends only frees.
 * - HSET keeps the lifetime of an existing key, and a new key has none. So each path that may create a key ends with
 *   PEXPIRE, and lifetimes are checked before they are sent.
 * - TIME does not change while a script runs, and replicas receive its writes, not the script. So a lease ends at the same
 *   instant on a replica, and so does a lifetime, since Redis sends PEXPIRE as an instant.
 *
 * A counter that does not exist is a reply of nothing. Any other is a text: whether the change was granted, the count, and the
 * milliseconds left, below 0 for none. It is a text since ioredis misreads integers close to 2^53.
 *
 * A replica rejects the script as a whole, which makes ioredis look for the primary. Nothing was written then.
 */
export const commandScript: Script = createScript(`
local call = redis.call

local function counter(granted, count, left)
  if left == -2 and granted == 1 then return false end
  return string.format('%d %s %.0f', granted, count, left)
end

local function read(key)
  local left = call('PTTL', key)
  if left == -2 then return false end
  return counter(1, call('HGET', key, 'n') or '0', left)
end

local function change(key, amount, limit, lifetime, renew)
  local left = call('PTTL', key)
  local exists = left ~= -2
  local by = tonumber(amount)
  local count = exists and call('HGET', key, 'n') or '0'
  local sum = tonumber(count) + by
  if sum > tonumber(limit) then return counter(0, count, left) end
  if by == 0 or (by < 0 and not exists) then return counter(1, count, left) end

  count = string.format('%.0f', math.max(0, sum))
  if sum > 0 then
    call('HSET', key, 'n', count)
  else
    call('HDEL', key, 'n')
    if call('PTTL', key) == -2 then return false end
  end
  if left < 0 or renew then
    call('PEXPIRE', key, lifetime)
    left = tonumber(lifetime)
  end
  return counter(1, count, left)
end

local function settle(key, token, lifetime, hold, value)
  if call('HGET', key, 't') ~= token then return 0 end
  if not value and hold ~= '1' then return call('DEL', key) end
  if value then call('HSET', key, 'v', value) else call('HDEL', key, 'v') end
  if hold ~= '1' then call('HDEL', key, 't', 'u') end
  call('PEXPIRE', key, lifetime)
  return 1
end

local commands = {
  g = {0, function(key) return call('HGET', key, 'v') end},
  p = {2, function(key, value, lifetime)
    call('HSET', key, 'v', value)
    call('HDEL', key, 'n', 't', 'u')
    return call('PEXPIRE', key, lifetime)
  end},
  d = {0, function(key) return call('DEL', key) end},
  r = {0, read},
  c = {3, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, false) end},
  n = {3, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, true) end},
  l = {3, function(key, token, lease, lifetime)
    local time = call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local entry = call('HMGET', key, 't', 'u', 'v')
    local taken = entry[1] and entry[1] ~= token and now < tonumber(entry[2])
    if taken then return {0, entry[3]} end
    call('HSET', key, 't', token, 'u', string.format('%.0f', now + lease))
    call('PEXPIRE', key, lifetime)
    return {1, entry[3]}
  end},
  s = {4, settle},
  x = {3, function(key, token, lifetime, hold) return settle(key, token, lifetime, hold) end},
}

local function failure(raised)
  -- Redis 6.2 begins with the line, and leaves out the words that it puts before all other errors of scripts.
  if string.sub(raised, 1, 1) == '@' then raised = 'ERR Error running script ' .. raised end
  return redis.error_reply(raised)
end

local replies, at = {}, 2
for index, key in ipairs(KEYS) do
  local command = commands[string.sub(ARGV[1], index, index)]
  local done, reply = pcall(command[2], key, ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
  if not done then
    reply = failure(reply)
    if string.find(reply.err, 'READONLY', 1, true) then return reply end
  end
  replies[index] = reply
  at = at + command[1]
end
return replies
`);
