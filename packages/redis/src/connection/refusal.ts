/** What Redis may refuse with that an operator can end. */
export type RefusalCode = "OOM" | "READONLY" | "NOPERM" | "NOREPLICAS" | "WRONGTYPE";

/** Redis 6.2 wraps what a script met with: "ERR Error running script (call to f_…): @user_script:4: -READONLY You can't…". */
const begins = /^(?:ERR Error running script .*?[ -])?(OOM|READONLY|NOPERM|NOREPLICAS|WRONGTYPE) /;

/** Within a script, newer servers tell what a user may not do in words of their own: the first Redis 7.0, the second Valkey. */
const forbiddenInScript = /^ERR (?:The user executing the script can't |ACL failure in script: )/;

/** Tells whether Redis itself answered, with an error. By name: the class may be that of another copy of ioredis. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Reads the code of a refusal; `undefined` when it is none of those that an operator can end. */
export function codeOf({ message }: Error): RefusalCode | undefined {
  if (forbiddenInScript.test(message)) return "NOPERM";
  return begins.exec(message)?.[1] as RefusalCode | undefined;
}

/** Tells whether it is keys that a user may not touch, rather than commands that it may not run. */
export function isForbiddenKey({ message }: Error): boolean {
  return /\baccess\b.*\bkeys?\b/.test(message);
}

/** Tells whether it is its database that a connection was refused. ioredis notes at each refusal what was asked. */
export function isRefusedDatabase(error: unknown): error is Error {
  if (!isRefusal(error) || !("command" in error)) return false;
  const { command } = error;
  return typeof command === "object" && command !== null && "name" in command && command.name === "select";
}
