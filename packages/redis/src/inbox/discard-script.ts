import type { RedisClient } from "../connection/client.ts";

/**
 * Removes a job while it is among the failed ones. A `remove` of BullMQ takes a job in any state: also one that was replayed after its
 * state was read, whose event would be lost.
 */
const discardDeadLetter = `
local failed, job, id = KEYS[1], KEYS[2], ARGV[1]
if redis.call('ZREM', failed, id) == 0 then return 0 end
redis.call('DEL', job, job .. ':logs')
return 1`;

/** The script as a command of ioredis. */
export interface DiscardScript {
  /** Replies with 1 if the job was a dead letter; else nothing was done. */
  discardDeadLetter(failedKey: string, jobKey: string, id: string): Promise<0 | 1>;
}

/** Adds the script to a connection. */
export function defineDiscardScript(own: RedisClient): RedisClient & DiscardScript {
  own.defineCommand("discardDeadLetter", { numberOfKeys: 2, lua: discardDeadLetter });
  return own as RedisClient & DiscardScript;
}
