import type { RedisClient } from "./client.ts";
import { isEndedByHand, leaveEnded } from "./reviving.ts";

/**
 * Ends a connection of ours when the app ends the client that it was made from.
 *
 * ioredis tells nobody of a client that was ended between two attempts to connect, so each attempt of ours looks at it.
 */
export function endTogether(client: RedisClient, own: RedisClient): void {
  const end = () => disconnect(own);
  const endIfEnded = () => isEnded(client) && end();
  client.once("end", end);
  own.on("connecting", () => {
    // It had ended, and was brought back.
    if (!client.listeners("end").includes(end)) client.once("end", end);
  });
  own.on("reconnecting", endIfEnded);
  own.on("ready", endIfEnded);
  own.on("end", () => client.removeListener("end", end));
}

/** Disconnects a client, if it still is connected: for one that is not, ioredis would keep the process for two seconds. */
export function disconnect(client: RedisClient): void {
  leaveEnded(client);
  if (client.status !== "end") client.disconnect();
}

function isEnded(client: RedisClient): boolean {
  return client.status === "end" || isEndedByHand(client);
}
