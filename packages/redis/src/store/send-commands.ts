import type { Deadline } from "@doorcode/core/store";
import type { RedisClient } from "../connection/client.ts";
import type { Connection } from "../connection/connection.ts";
import { isErrorReply, isKeyForbidden } from "../connection/error-reply.ts";
import { createBatches, throwFailure } from "./batches.ts";
import { commandScript } from "./command-script.ts";
import { type KeyCommand, readReplies, scriptArguments } from "./commands.ts";

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
    const given = scriptArguments(commands);
    if (!given) return runHalves(runOnOneNode, redis, deadline, commands);
    try {
      return readReplies(await commandScript.run(redis, deadline, given));
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

/** Runs commands with more different numbers than one script takes. */
async function runHalves(
  run: RunCommands,
  ...[redis, deadline, commands]: Parameters<RunCommands>
): ReturnType<RunCommands> {
  const half = Math.ceil(commands.length / 2);
  const halves = [commands.slice(0, half), commands.slice(half)];
  return (await Promise.all(halves.map((some) => run(redis, deadline, some)))).flat();
}

/** All commands are sent before the first reply; ioredis finds the node of each. An error reply stands in the place of its command. */
const runApart: RunCommands = async (redis, deadline, commands) => {
  const run = (command: KeyCommand) => runOne(redis, deadline, command).catch(keepErrorReply);
  return (await Promise.all(commands.map(run))).flat();
};

function keepErrorReply(error: unknown): readonly unknown[] {
  if (isErrorReply(error)) return [error];
  throw error;
}

async function runOne(redis: RedisClient, deadline: Deadline, command: KeyCommand): Promise<readonly unknown[]> {
  const given = scriptArguments([command]);
  if (!given) throw new Error("A command has more numbers than a script takes.");
  return readReplies(await commandScript.run(redis, deadline, given));
}
