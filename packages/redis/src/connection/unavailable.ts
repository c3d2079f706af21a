import { DoorcodeError, isDoorcodeError } from "@doorcode/core";
import { type ErrorReplyCode, errorReplyCode, isDatabaseRefused, isErrorReply, isKeyForbidden } from "./error-reply.ts";

/** The part of the kit that sends commands. Each needs its own permissions. */
export type Part = "store" | "inbox";

/** The advice for error replies that an operator can do something about. */
const advice: Readonly<Record<Exclude<ErrorReplyCode, "NOPERM">, (part: Part) => string>> = {
  OOM: () => "Redis is full: raise maxmemory, and keep maxmemory-policy at noeviction.",
  READONLY: () =>
    "This Redis is a replica: let the client find the primary through Sentinel, a cluster, or a host name that moves.",
  NOREPLICAS: () => "Redis has fewer replicas than min-replicas-to-write demands: bring them back.",
  WRONGTYPE: (part) => `Another program uses this key: give the ${part} its own prefix.`,
};

const commands: Readonly<Record<Part, string>> = {
  store: "HGET, DEL, EVALSHA and EVAL, and for its scripts HMGET, HSET, HDEL, PTTL, EXPIRE and TIME",
  inbox: "+@all -@dangerous +info",
};

const keys: Readonly<Record<Part, string>> = {
  store: "~doorcode:*, with the name given to createDoorcode, after the prefixes of the client and of the store",
  inbox: "~{doorcode}:*, with the prefix of the inbox, after the prefix of the client",
};

/** Converts the error of a command to `store_unavailable`, and drops it: it holds the arguments of the command, such as phone numbers. */
export function toUnavailable(error: unknown, part: Part): DoorcodeError {
  if (isDoorcodeError(error)) return error;
  if (!isErrorReply(error)) return unavailable("The connection to Redis was lost before the reply. It is made again.");
  if (isDatabaseRefused(error)) return notConnected(error);
  const code = errorReplyCode(error);
  if (code === "NOPERM") return unavailable(missingPermission(error, part));
  return unavailable(code ? advice[code](part) : `Redis refused the command: ${withoutQuotes(error)}.`);
}

function missingPermission(error: Error, part: Part): string {
  if (isKeyForbidden(error)) return `Redis does not permit the keys of the ${part}: give its user ${keys[part]}.`;
  return `Redis does not permit the commands of the ${part}: give its user ${commands[part]}.`;
}

/** Tells whether an error is that of a connection, such as `ECONNREFUSED`. */
export function isSocketError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

/** Reports that nothing was sent because there is no connection, and how the last attempt to connect failed. */
export function notConnected(lastError: Error | undefined): DoorcodeError {
  if (isDatabaseRefused(lastError)) {
    return unavailable(
      "Redis refused the database of the client: give its user +select and check that such a database exists, or use database 0.",
    );
  }
  const reason = lastError ? ` (${withoutQuotes(lastError)})` : "";
  return unavailable(
    `Redis is not connected${reason}: check that it runs, and that the client has its address and password.`,
  );
}

/** Reports that there was no reply in time. */
export function timedOut(timeoutSeconds: number): DoorcodeError {
  return unavailable(
    `Redis did not reply within ${timeoutSeconds} seconds: check whether it is overloaded or cut off.`,
  );
}

function unavailable(message: string): DoorcodeError {
  return new DoorcodeError("store_unavailable", { message, retryAfterSeconds: 1 });
}

/** Cuts off what a server quotes: the arguments of an unknown command, or the password of a HELLO. */
function withoutQuotes({ message }: Error): string {
  return message.split(/["'`]/)[0]?.trim().replace(/\.$/, "") ?? "";
}
