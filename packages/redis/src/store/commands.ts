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
 * An entry is under one key. Most entries are a string, which takes a third less memory than a hash: a count is its digits, and a
 * value follows a "=". An entry that was leased, or is a value and a counter, is a hash, with some of these fields:
 *
 *   v  the value               t  the token of the last holder
 *   n  the count               u  the end of the lease, as Unix milliseconds on the server's clock
 *
 * Any other string is of another program, like a list or a set: \`look\` leaves it to a command for hashes, which Redis refuses.
 *
 * Each command uses one key, so where keys are on different nodes, each command goes to the node of its key in a script of its
 * own. The script relies on three properties of Redis:
 *
 * - A full server rejects a script only at its first write. So the first write of a command is one that needs memory, and no
 *   command stops halfway. A DEL before it would free memory for a write that must be rejected. A counter that ends only frees.
 * - HSET and KEEPTTL keep the lifetime of an existing key, and a new key has none. So each path that may create a key sets it,
 *   and lifetimes are checked before they are sent.
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

-- Returns what kind of entry a key holds, and the text of a count or of a value.
local function look(key)
  local kind = call('TYPE', key).ok
  if kind ~= 'string' then return kind end
  local text = call('GET', key)
  if string.sub(text, 1, 1) == '=' then return 'value', string.sub(text, 2) end
  if string.find(text, '^%d+$') then return 'count', text end
  return kind
end

-- Makes a hash of a string, whose lifetime stays.
local function toHash(key, kind, text)
  local left = call('PTTL', key)
  -- A full server must refuse before anything is deleted.
  call('SET', key, (kind == 'value' and '=' or '') .. text, 'KEEPTTL')
  call('DEL', key)
  call('HSET', key, kind == 'value' and 'v' or 'n', text)
  if left > 0 then call('PEXPIRE', key, left) end
end

local function countOf(key, kind, text)
  if kind == 'count' then return text end
  if kind == 'value' then return '0' end
  return call('HGET', key, 'n') or '0'
end

local function counter(granted, count, left)
  if left == -2 and granted == 1 then return false end
  return string.format('%d %s %.0f', granted, count, left)
end

local function read(key)
  local left = call('PTTL', key)
  if left == -2 then return false end
  return counter(1, countOf(key, look(key)), left)
end

local function change(key, amount, limit, lifetime, renew)
  local left = call('PTTL', key)
  local exists = left ~= -2
  local by = tonumber(amount)
  local kind, text = 'none', nil
  if exists then kind, text = look(key) end
  local count = exists and countOf(key, kind, text) or '0'
  local sum = tonumber(count) + by
  if sum > tonumber(limit) then return counter(0, count, left) end
  if by == 0 or (by < 0 and not exists) then return counter(1, count, left) end

  count = string.format('%.0f', math.max(0, sum))
  if sum > 0 and (kind == 'none' or kind == 'count') then
    call('SET', key, count, 'KEEPTTL')
  elseif sum > 0 then
    if kind == 'value' then toHash(key, kind, text) end
    call('HSET', key, 'n', count)
  elseif kind == 'count' then
    call('DEL', key)
    return false
  elseif kind == 'hash' then
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
  local kind = look(key)
  if kind == 'none' or kind == 'value' or kind == 'count' then return 0 end
  if call('HGET', key, 't') ~= token then return 0 end
  if not value and hold ~= '1' then return call('DEL', key) end
  if value and hold ~= '1' and not call('HGET', key, 'n') then
    call('SET', key, '=' .. value, 'PX', lifetime)
    return 1
  end
  if value then call('HSET', key, 'v', value) else call('HDEL', key, 'v') end
  if hold ~= '1' then call('HDEL', key, 't', 'u') end
  call('PEXPIRE', key, lifetime)
  return 1
end

local commands = {
  g = {0, function(key)
    local kind, text = look(key)
    if kind == 'value' then return text end
    return kind ~= 'none' and kind ~= 'count' and call('HGET', key, 'v')
  end},
  p = {2, function(key, value, lifetime)
    local kind = look(key)
    -- SET would replace what belongs to another program.
    if kind ~= 'none' and kind ~= 'value' and kind ~= 'count' then call('HGET', key, 'v') end
    call('SET', key, '=' .. value, 'PX', lifetime)
    return 1
  end},
  d = {0, function(key) return call('DEL', key) end},
  r = {0, read},
  c = {3, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, false) end},
  n = {3, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, true) end},
  l = {3, function(key, token, lease, lifetime)
    local time = call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local kind, text = look(key)
    local isString = kind == 'value' or kind == 'count'
    local entry = isString and {false, false, kind == 'value' and text} or call('HMGET', key, 't', 'u', 'v')
    local taken = entry[1] and entry[1] ~= token and now < tonumber(entry[2])
    if taken then return {0, entry[3]} end
    if isString then toHash(key, kind, text) end
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
