import { DoorcodeError, isDoorcodeError } from "@doorcode/core";

/** What to do about the refusals that an operator can end, by the code that begins a refusal of Redis. */
const advice: Readonly<Record<string, string>> = {
  OOM: "Redis is full: raise maxmemory, and keep maxmemory-policy at noeviction.",
  READONLY:
    "This Redis is a replica: let the client find the primary by Sentinel, by cluster, or under a name that moves.",
  NOPERM:
    "Redis does not permit the commands of the store: EVALSHA, EVAL, HGET and DEL, and within scripts PTTL, PEXPIRE, TIME, HSET, HMGET and HDEL.",
  NOREPLICAS: "Redis has too few replicas for min-replicas-to-write: bring them back.",
  WRONGTYPE: "The key is used by something else: give the store a prefix of its own.",
};

/**
 * Makes `store_unavailable` of whatever a command rejected with.
 *
 * The error of the client is left behind: it carries the arguments of the command, and among them are phone numbers.
 */
export function storeFailure(error: unknown): DoorcodeError {
  if (isDoorcodeError(error)) return error;
  if (!isRefusal(error))
    return unavailable("The connection to Redis was lost before the answer came: it is made again.");
  const [code = ""] = error.message.split(" ");
  return unavailable(advice[code] ?? `Redis refused the command: ${withoutQuotations(error)}.`);
}

/** Says that nothing was sent, and what the last attempt to connect met with. */
export function notConnected(lastError: Error | undefined): DoorcodeError {
  const reason = lastError ? ` (${withoutQuotations(lastError)})` : "";
  return unavailable(
    `Redis is not connected${reason}: see that it runs, and that the client has its address and password.`,
  );
}

/** Says that the time to answer is over. */
export function notAnswered(seconds: number): DoorcodeError {
  return unavailable(`Redis did not answer within ${seconds} seconds: see whether it is overloaded or cut off.`);
}

/** Tells whether Redis itself answered, with an error. By name: the class may be that of another copy of ioredis. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

function unavailable(message: string): DoorcodeError {
  return new DoorcodeError("store_unavailable", { message, retryAfterSeconds: 1 });
}

/** Servers quote what they were sent: an unknown command with its arguments, a password with its HELLO. */
function withoutQuotations({ message }: Error): string {
  return message.split(/["'`]/)[0]?.trim() ?? "";
}
