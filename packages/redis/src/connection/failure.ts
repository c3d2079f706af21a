import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import { codeOf, isForbiddenKey, isRefusal, isRefusedDatabase, type RefusalCode } from "./refusal.ts";

/** Who asks Redis: each needs rights of its own. */
export type Asker = "store" | "inbox";

/** What to do about the refusals that an operator can end. */
const advice: Readonly<Record<Exclude<RefusalCode, "NOPERM">, (asker: Asker) => string>> = {
  OOM: () => "Redis is full: raise maxmemory, and keep maxmemory-policy at noeviction.",
  READONLY: () =>
    "This Redis is a replica: let the client find the primary by Sentinel, by cluster, or under a name that moves.",
  NOREPLICAS: () => "Redis has too few replicas for min-replicas-to-write: bring them back.",
  WRONGTYPE: (asker) => `The key is used by something else: give the ${asker} a prefix of its own.`,
};

const commands: Readonly<Record<Asker, string>> = {
  store: "give its user EVALSHA, EVAL, HGET and DEL, and for its scripts PTTL, PEXPIRE, TIME, HSET, HMGET and HDEL",
  inbox: "give its user +@all -@dangerous +info",
};

const keys: Readonly<Record<Asker, string>> = {
  store: "~doorcode:*, with the name given to createDoorcode, behind the prefixes of the client and of the store",
  inbox: "~{doorcode}:*, with the prefix of the inbox, behind that of the client",
};

/**
 * Makes `store_unavailable` of whatever a command rejected with.
 *
 * The error of the client is left behind: it carries the arguments of the command, and among them are phone numbers.
 */
export function storeFailure(error: unknown, asker: Asker): DoorcodeError {
  if (isDoorcodeError(error)) return error;
  if (!isRefusal(error))
    return unavailable("The connection to Redis was lost before the answer came: it is made again.");
  if (isRefusedDatabase(error)) return notConnected(error);
  const code = codeOf(error);
  if (code === "NOPERM") return unavailable(forbidden(error, asker));
  return unavailable(code ? advice[code](asker) : `Redis refused the command: ${withoutQuotations(error)}.`);
}

function forbidden(error: Error, asker: Asker): string {
  if (isForbiddenKey(error)) {
    return `Redis does not permit the keys of the ${asker}: give its user ${keys[asker]}.`;
  }
  return `Redis does not permit the commands of the ${asker}: ${commands[asker]}.`;
}

/** Says that nothing was sent, and what the last attempt to connect met with. */
export function notConnected(lastError: Error | undefined): DoorcodeError {
  if (isRefusedDatabase(lastError)) {
    return unavailable(
      "Redis refused the database of the client: give its user +select, and see that there is such a database, or use database 0.",
    );
  }
  const reason = lastError ? ` (${withoutQuotations(lastError)})` : "";
  return unavailable(
    `Redis is not connected${reason}: see that it runs, and that the client has its address and password.`,
  );
}

/** Says that the time to answer is over. */
export function notAnswered(seconds: number): DoorcodeError {
  return unavailable(`Redis did not answer within ${seconds} seconds: see whether it is overloaded or cut off.`);
}

function unavailable(message: string): DoorcodeError {
  return new DoorcodeError("store_unavailable", { message, retryAfterSeconds: 1 });
}

/** Servers quote what they were sent: an unknown command with its arguments, a password with its HELLO. */
function withoutQuotations({ message }: Error): string {
  return message.split(/["'`]/)[0]?.trim().replace(/\.$/, "") ?? "";
}
