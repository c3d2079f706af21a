import type { RedisClient } from "./client.ts";
import { isEndedByHand, leaveEnded } from "./reviving.ts";

/** What ends with a client of the app's. */
interface Company {
  join(own: RedisClient): void;
  leave(own: RedisClient): void;
}

const companies = new WeakMap<RedisClient, Company>();

/**
 * Ends a connection of ours when the app ends the client that it was made from.
 *
 * ioredis tells nobody of a client that was ended between two attempts to connect, so each attempt of ours looks at it.
 */
export function endTogether(client: RedisClient, own: RedisClient): void {
  const company = companyOf(client);
  const endIfEnded = () => isEnded(client) && disconnect(own);
  company.join(own);
  // It had ended, and was brought back.
  own.on("connecting", () => company.join(own));
  own.on("reconnecting", endIfEnded);
  own.on("ready", endIfEnded);
  own.on("end", () => company.leave(own));
}

function companyOf(client: RedisClient): Company {
  const company = companies.get(client) ?? createCompany(client);
  companies.set(client, company);
  return company;
}

/** One listener for all: Node.js takes eleven for a leak. It is there as long as somebody needs it. */
function createCompany(client: RedisClient): Company {
  const members = new Set<RedisClient>();
  const endAll = () => members.forEach(disconnect);
  return {
    join(own) {
      if (members.size === 0) client.on("end", endAll);
      members.add(own);
    },
    leave(own) {
      members.delete(own);
      if (members.size === 0) client.removeListener("end", endAll);
    },
  };
}

/** Disconnects a client, if it still is connected: for one that is not, ioredis would keep the process for two seconds. */
export function disconnect(client: RedisClient): void {
  leaveEnded(client);
  if (client.status !== "end") client.disconnect();
}

function isEnded(client: RedisClient): boolean {
  return client.status === "end" || isEndedByHand(client);
}
