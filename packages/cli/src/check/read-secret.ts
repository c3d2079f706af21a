import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { CommandError } from "../command/command-error.ts";

const name = "WEBHOOK_SECRET";

/**
 * Reads the signing secret from a file, or else from the environment. It is no argument: that would stay in the history of the
 * shell, and others on the machine could see it.
 *
 * @throws CommandError if there is no such file, or no secret
 */
export function readSecret(envFile: string | undefined, environment: NodeJS.ProcessEnv): string {
  const secret = (envFile === undefined ? environment : readEnvFile(envFile))[name];
  if (secret) return secret;
  const fix = "set it to the signing secret of the application, or name the file that has it with --env-file .env";
  throw new CommandError(`${name} is missing${envFile === undefined ? "" : ` in ${envFile}`}: ${fix}`);
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, "utf8"));
  } catch {
    throw new CommandError(`--env-file ${path}: there is no such file, or it cannot be read`);
  }
}
