/** The codes of error replies that an operator can do something about. */
export type ErrorReplyCode = "OOM" | "READONLY" | "NOPERM" | "NOREPLICAS" | "WRONGTYPE";

/** Redis 6.2 wraps the error of a script: "ERR Error running script (call to f_…): @user_script:4: -READONLY …". */
const code = /^(?:ERR Error running script .*?[ -])?(OOM|READONLY|NOPERM|NOREPLICAS|WRONGTYPE) /;

/** A missing permission inside a script, in the words of Redis 7.0 and of Valkey. */
const forbiddenInScript = /^ERR (?:The user executing the script can't |ACL failure in script: )/;

/** Tells whether an error is a reply of Redis. It compares the name, since the app may use another copy of ioredis. */
export function isErrorReply(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Reads the code of an error reply; `undefined` for every other code. */
export function errorReplyCode({ message }: Error): ErrorReplyCode | undefined {
  if (forbiddenInScript.test(message)) return "NOPERM";
  return code.exec(message)?.[1] as ErrorReplyCode | undefined;
}

/** Tells whether a user lacks permission for keys, rather than for commands. */
export function isKeyForbidden({ message }: Error): boolean {
  return /\baccess\b.*\bkeys?\b/.test(message);
}

/** Tells whether Redis refused to select the database of a connection. ioredis adds the command to each error reply. */
export function isDatabaseRefused(error: unknown): error is Error {
  if (!isErrorReply(error) || !("command" in error)) return false;
  const { command } = error;
  return typeof command === "object" && command !== null && "name" in command && command.name === "select";
}
