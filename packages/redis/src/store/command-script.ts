import { createScript, type Script } from "./script.ts";

/**
 * Carries out commands, one after the other; `scriptArguments` of `commands.ts` has its arguments.
 *
 * It replies with a list. The first of it is a text with a character for each command: 0 for nothing, 1 for what is done, and x for a
 * reply of its own, which follows. An error reply stands in the place of its own command only. Most of what a login asks is answered
 * by 0 and 1, and each other reply costs this process ten times as much.
 *
 * An entry is under one key. Most entries are a string, which takes a third less memory than a hash: a count is its digits, and a
 * value follows a "=". An entry that was leased, or is a value and a counter, is a hash, with some of these fields:
 *
 *   v  the value               t  the token of the last holder
 *   n  the count               u  the end of the lease, as Unix milliseconds on the server's clock
 *
 * Any other string is of another program, like a list or a set: `look` leaves it to a command for hashes, which Redis refuses.
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
 * A counter that does not exist is nothing, and one that begins with its change is done: whoever asked knows the rest. Any other is a
 * text: whether the change was granted, the count, and the milliseconds left, below 0 for none. It is a text since ioredis misreads
 * integers close to 2^53.
 *
 * A replica rejects the script as a whole, which makes ioredis look for the primary. Nothing was written then.
 */
export const commandScript: Script = createScript(`
local call, format, byte = redis.call, string.format, string.byte
local keys, values = KEYS, ARGV

-- The numbers by their digits, each read once: they are few, and come with many commands.
local numbers = {}
for place = 3, tonumber(values[2]) - 1 do numbers[values[place]] = tonumber(values[place]) end

-- Returns what kind of entry a string is, and the text of a count or of a value.
local function kindOf(text)
  if byte(text) == 61 then return 'value', string.sub(text, 2) end
  if string.find(text, '^%d+$') then return 'count', text end
  return 'string'
end

-- Returns what kind of entry a key holds, and the text of a count or of a value.
local function look(key)
  local kind = call('TYPE', key).ok
  if kind ~= 'string' then return kind end
  return kindOf(call('GET', key))
end

-- Does the same where a lease is rare. Most keys hold a string or do not exist, and GET alone tells that.
local function lookForString(key)
  local text = redis.pcall('GET', key)
  if not text then return 'none' end
  if type(text) == 'string' then return kindOf(text) end
  return look(key)
end

-- Makes a hash of a string, whose lifetime stays.
local function toHash(key, kind, text)
  local left = call('PTTL', key)
  -- A full server must refuse before anything is deleted.
  call('SET', key, (kind == 'value' and '=' or '') .. text, 'KEEPTTL')
  call('DEL', key)
  call('HSET', key, kind == 'value' and 'v' or 'n', text)
  -- It is 0 in the last millisecond, and below 0 for none.
  if left >= 0 then call('PEXPIRE', key, math.max(left, 1)) end
end

local function countOf(key, kind, text)
  if kind == 'count' then return text end
  if kind == 'value' then return '0' end
  return call('HGET', key, 'n') or '0'
end

local function state(granted, count, left)
  return format('%d %s %d', granted, count, left)
end

local function read(key)
  local kind, text = lookForString(key)
  if kind == 'none' then return false end
  return state(1, countOf(key, kind, text), call('PTTL', key))
end

local function change(key, amount, limit, lifetime, renew)
  local by, most = numbers[amount], numbers[limit]
  local kind, text = lookForString(key)
  if kind == 'none' then
    if by > most then return state(0, 0, -2) end
    if by <= 0 then return false end
    call('SET', key, amount, 'PX', lifetime)
    return 1
  end

  local count = countOf(key, kind, text)
  local sum = tonumber(count) + by
  if sum > most then return state(0, count, call('PTTL', key)) end
  if sum <= 0 and kind == 'count' then
    call('DEL', key)
    return false
  end

  -- A lifetime that begins anew needs no look at the old one.
  local left = renew and -1 or call('PTTL', key)
  local begins = left < 0
  count = format('%d', math.max(0, sum))
  if kind == 'count' and begins then
    call('SET', key, count, 'PX', lifetime)
  elseif kind == 'count' then
    call('SET', key, count, 'KEEPTTL')
  else
    if sum > 0 then
      if kind == 'value' then toHash(key, kind, text) end
      call('HSET', key, 'n', count)
    elseif kind == 'hash' then
      call('HDEL', key, 'n')
      if call('PTTL', key) == -2 then return false end
    end
    if begins then call('PEXPIRE', key, lifetime) end
  end
  return state(1, count, begins and lifetime or left)
end

local function settle(key, lifetime, hold, token, value)
  local kind = look(key)
  if kind == 'none' or kind == 'value' or kind == 'count' then return false end
  if call('HGET', key, 't') ~= token then return false end
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

-- Each with the quantities of its numbers and texts. A function gets three numbers and two texts: the last ones may not be its own.
local commands = {
  [byte('g')] = {0, 0, function(key)
    local kind, text = lookForString(key)
    if kind == 'value' then return text end
    return kind ~= 'none' and kind ~= 'count' and call('HGET', key, 'v')
  end},
  [byte('p')] = {1, 1, function(key, lifetime, _, _, value)
    local kind = lookForString(key)
    -- SET would replace what belongs to another program.
    if kind ~= 'none' and kind ~= 'value' and kind ~= 'count' then call('HGET', key, 'v') end
    call('SET', key, '=' .. value, 'PX', lifetime)
    return 1
  end},
  [byte('d')] = {0, 0, function(key) return call('DEL', key) end},
  [byte('r')] = {0, 0, read},
  [byte('c')] = {3, 0, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, false) end},
  [byte('n')] = {3, 0, function(key, by, limit, lifetime) return change(key, by, limit, lifetime, true) end},
  [byte('l')] = {2, 1, function(key, lease, lifetime, _, token)
    local time = call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local kind, text = look(key)
    local isString = kind == 'value' or kind == 'count'
    local entry = isString and {false, false, kind == 'value' and text} or call('HMGET', key, 't', 'u', 'v')
    local taken = entry[1] and entry[1] ~= token and now < tonumber(entry[2])
    if taken then return {0, entry[3]} end
    if isString then toHash(key, kind, text) end
    call('HSET', key, 't', token, 'u', format('%d', now + lease))
    call('PEXPIRE', key, lifetime)
    return {1, entry[3]}
  end},
  [byte('s')] = {2, 2, function(key, lifetime, hold, _, token, value) return settle(key, lifetime, hold, token, value) end},
  [byte('x')] = {2, 1, function(key, lifetime, hold, _, token) return settle(key, lifetime, hold, token) end},
}

local outcomes, replies = {}, {''}
local index, place, text = 0, 1, tonumber(values[2])

local function answer(reply)
  if reply == 1 then
    outcomes[index] = '1'
  elseif not reply or reply == 0 then
    outcomes[index] = '0'
  else
    outcomes[index] = 'x'
    replies[#replies + 1] = reply
  end
end

local function run()
  while index < #keys do
    index = index + 1
    local letter, a, b, c = byte(values[1], place, place + 3)
    local command, own = commands[letter], text
    place, text = place + 1 + command[1], text + command[2]
    answer(command[3](keys[index], values[a - 32], values[b - 32], values[c - 32], values[own], values[own + 1]))
  end
end

local function failure(raised)
  -- Redis 6.2 begins with the line, and leaves out the words that it puts before all other errors of scripts.
  if string.sub(raised, 1, 1) == '@' then raised = 'ERR Error running script ' .. raised end
  return redis.error_reply(raised)
end

-- One pcall for all commands costs less than one for each of them. It goes on after a command that has failed.
while index < #keys do
  local done, raised = pcall(run)
  if not done then
    local reply = failure(raised)
    if string.find(reply.err, 'READONLY', 1, true) then return reply end
    answer(reply)
  end
end
replies[1] = table.concat(outcomes)
return replies
`);
