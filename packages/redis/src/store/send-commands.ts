import type { Deadline } from "@doorcode/core/clock";
import type { RedisClient } from "../connection/client.ts";
import type { Connection } from "../connection/connection.ts";
import { isErrorReply, isKeyForbidden } from "../connection/error-reply.ts";
import { toUnavailable } from "../connection/unavailable.ts";
import { commandScript, type KeyCommand, scriptArguments } from "./commands.ts";

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
  const sendApart: SendCommands = (commands) =>
    connection.run((redis, deadline) => runApart(redis, deadline, commands));
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
  const sendTogether = createBatches(connection, (redis, deadline, commands) =>
    runTogether(runOnOneNode, redis, deadline, commands),
  );

  return async (commands) => {
    if (commands.length === 0) return [];
    const replies = await (isCluster ? sendApart(commands) : sendTogether(commands));
    const failure = replies.find(isErrorReply);
    if (failure) throw toUnavailable(failure, "store");
    return replies;
  };
}

/** Runs commands on one node. */
type RunCommands = (
  redis: RedisClient,
  deadline: Deadline,
  commands: readonly KeyCommand[],
) => Promise<readonly unknown[]>;

/** The commands of one turn of the event loop, and all their replies. */
interface Batch {
  readonly commands: KeyCommand[];
  readonly replies: Promise<readonly unknown[]>;
}

/** Collects the commands of a turn of the event loop and runs them at its end: no timer and no other event comes in between. */
function createBatches(connection: Connection, run: RunCommands): SendCommands {
  let open: Batch | undefined;

  function begin(): Batch {
    const commands: KeyCommand[] = [];
    const closed = tickEnd().then(() => {
      open = undefined;
    });
    const replies = connection.run(async (redis, deadline) => {
      await closed;
      return run(redis, deadline, commands);
    });
    return { commands, replies };
  }

  return async (commands) => {
    open ??= begin();
    const { commands: all, replies } = open;
    const first = all.length;
    all.push(...commands);
    return (await replies).slice(first, first + commands.length);
  };
}

/** Resolves when all that was ready has run. The next turn of the event loop would come later, and bring little more. */
function tickEnd(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** While a script runs, Redis serves nobody else. That many commands take it less than a millisecond. */
const maxPerScript = 200;

/** Runs commands in as few scripts as possible. */
async function runTogether(
  run: RunCommands,
  redis: RedisClient,
  deadline: Deadline,
  commands: readonly KeyCommand[],
): Promise<readonly unknown[]> {
  const running: Promise<readonly unknown[]>[] = [];
  for (let first = 0; first < commands.length; first += maxPerScript) {
    running.push(run(redis, deadline, commands.slice(first, first + maxPerScript)));
  }
  return (await Promise.all(running)).flat();
}

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
  const replies = await commandScript.run(redis, deadline, scriptArguments(commands));
  if (Array.isArray(replies)) return replies;
  throw new TypeError("The reply of Redis cannot be read: give the store a client of ioredis 6.");
};
