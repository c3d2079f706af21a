import { createHash } from "node:crypto";
import type { Deadline } from "@doorcode/core/store";
import type { RedisClient } from "../connection/client.ts";
import { isErrorReply } from "../connection/error-reply.ts";

/** The arguments of a script. */
export interface ScriptArguments {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** A Lua script. */
export interface Script {
  /** Runs the script by its digest, and sends its text only if the server does not know it. Rejects as the client does. */
  run(client: RedisClient, deadline: Deadline, given: ScriptArguments): Promise<unknown>;
}

/** Creates a script from its text. */
export function createScript(lua: string): Script {
  const digest = createHash("sha1").update(lua).digest("hex");

  return {
    async run(client, deadline, { keys, values }) {
      try {
        return await client.evalsha(digest, keys.length, ...keys, ...values);
      } catch (error) {
        // A server loses its scripts at a restart, and a replica may not have them. Nothing was run, so a retry is safe.
        if (deadline.isOver || !isErrorReply(error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return client.eval(lua, keys.length, ...keys, ...values);
      }
    },
  };
}
