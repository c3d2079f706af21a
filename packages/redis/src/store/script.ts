import { createHash } from "node:crypto";
import type { RedisClient } from "../connection/client.ts";
import type { Deadline } from "../connection/connection.ts";
import { isErrorReply } from "../connection/error-reply.ts";

/** A Lua script on one key. */
export interface Script {
  /** Runs it by its digest; only a server that does not know it yet is sent the whole of it. Rejects as the client does. */
  run(client: RedisClient, deadline: Deadline, key: string, values: readonly string[]): Promise<unknown>;
}

/** Names a script by its digest. */
export function createScript(lua: string): Script {
  const digest = createHash("sha1").update(lua).digest("hex");

  return {
    async run(client, deadline, key, values) {
      try {
        return await client.evalsha(digest, 1, key, ...values);
      } catch (error) {
        // A server forgets scripts when it restarts, and its replica never knew them. Nothing was run, so asking again is safe.
        if (deadline.isOver || !isErrorReply(error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return client.eval(lua, 1, key, ...values);
      }
    },
  };
}
