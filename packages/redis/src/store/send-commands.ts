import type { Deadline } from "@doorcode/core/clock";
import type { RedisClient } from "../connection/client.ts";
import type { Connection } from "../connection/connection.ts";
import { isErrorReply, isKeyForbidden } from "../connection/error-reply.ts";
import { createBatches, throwFailure } from "./batches.ts";
import { commandScript, type KeyCommand, readReplies, scriptArguments } from "./commands.ts";

/**
 * Sends commands in one round trip and resolves to their replies, in the same order.
 *
 * @throws DoorcodeError `store_unavailable` when one of them has no reply in time, or an error reply.
 */
export type SendCommands = (commands: readonly KeyCommand[]) => Promise<readonly unknown[]>;

/**
 * Creates the function that sends commands.
 *
 * What is asked in one turn of the event loop, also by different requests, goes to a single server as one script: most of what a
 * command costs, here and in Redis, is the way there and back. A command that fails rejects its own call only.
 *
 * In a cluster the keys of a script must be on one node, so there each command is a script. A client for a single server may
 * reach a cluster too, through a proxy for example. Redis refuses a script of several nodes then, and nothing of it was run.
 */
export function createSender(connection: Connection): SendCommands {
  let isCluster = "nodes" in connection.client;
  const runOnOneNode: RunCommands = async (redis, deadline, commands) => {
    try {
      return await runScript(redis, deadline, commands);
    } catch (error) {
      if (deadline.isOver || !isErrorReply(error) || !isRefusedForKeys(error)) throw error;
      isCluster ||= isOfSeveralNodes(error);
      // Only the commands of this script: another one, whose keys are on one node, has been run.
      return runApart(redis, deadline, commands);
    }
  };
  const sendTogether = createBatches((commands) =>
    connection.run((redis, deadline) => runOnOneNode(redis, deadline, commands)),
  );
  const sendApart = async (commands: readonly KeyCommand[]) =>
    throwFailure(await connection.run((redis, deadline) => runApart(redis, deadline, commands)));

  return (commands) => (isCluster ? sendApart(commands) : sendTogether(commands));
}

/** Runs commands on one node. */
type RunCommands = (
  redis: RedisClient,
  deadline: Deadline,
  commands: readonly KeyCommand[],
) => Promise<readonly unknown[]>;

/** Tells whether Redis refused a script for its keys, before it ran: they are on several nodes, or one of them is forbidden. */
function isRefusedForKeys(error: Error): boolean {
  return isOfSeveralNodes(error) || isKeyForbidden(error);
}

function isOfSeveralNodes({ message }: Error): boolean {
  return message.startsWith("CROSSSLOT");
}

/** All commands are sent before the first reply; ioredis finds the node of each. An error reply stands in the place of its command. */
const runApart: RunCommands = async (redis, deadline, commands) => {
  const run = (command: KeyCommand) => runScript(redis, deadline, [command]).catch(keepErrorReply);
  return (await Promise.all(commands.map(run))).flat();
};

function keepErrorReply(error: unknown): readonly unknown[] {
  if (isErrorReply(error)) return [error];
  throw error;
}

const runScript: RunCommands = async (redis, deadline, commands) => {
  const given = scriptArguments(commands);
  if (given) return readReplies(await commandScript.run(redis, deadline, given));
  const half = Math.ceil(commands.length / 2);
  const halves = [commands.slice(0, half), commands.slice(half)];
  return (await Promise.all(halves.map((some) => runScript(redis, deadline, some)))).flat();
};
