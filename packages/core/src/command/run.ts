import type { Doorcode } from "../create-doorcode.ts";
import { doorcodeParts } from "../doorcode-parts.ts";
import type { OperatorLimits } from "../limits/operator-limits.ts";
import { isDoorcodeError } from "../util/errors.ts";
import { CommandError } from "./command-error.ts";
import { type LimitsCommand, parseCommandLine } from "./command-line.ts";
import { help } from "./help.ts";
import { loadKit } from "./load-kit.ts";
import { describeText, stateText } from "./print.ts";

/** What the command prints, and the code with which it exits. */
interface Outcome {
  readonly text: string;
  readonly exitCode?: number;
}

/** Runs the command and ends the process: the app's clients would keep it alive. After an error it prints one line on stderr. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const { text, exitCode = 0 } = await outcomeOf(args);
    process.stdout.write(text, () => process.exit(exitCode));
  } catch (error) {
    if (!(error instanceof CommandError || isDoorcodeError(error))) throw error;
    const exitCode = error instanceof CommandError ? 2 : 1;
    process.stderr.write(`doorcode-limits: ${error.message}\n`, () => process.exit(exitCode));
  }
}

async function outcomeOf(args: readonly string[]): Promise<Outcome> {
  const line = parseCommandLine(args);
  if (line === "help") return { text: help };
  const { value, text, exitCode = 0 } = await resultOf(await loadKit(line.kit), line.command);
  return { text: line.json ? json(value) : text, exitCode };
}

/** What a command has found, as a value for programs and as text for people. */
interface Result extends Outcome {
  readonly value: unknown;
}

async function resultOf(kit: Doorcode, command: LimitsCommand): Promise<Result> {
  switch (command.name) {
    case "describe": {
      const value = limitsOf(kit).describe();
      return { value, text: describeText(value) };
    }
    case "state": {
      const value = await sharedLimits(kit).state();
      return { value, text: stateText(value) };
    }
    case "open": {
      const { kind, value: name } = command;
      const opened = await sharedLimits(kit).open(kind, name);
      const value = { opened };
      if (opened) return { value, text: `${kind} ${name} is open.\n` };
      const text = `Nothing was closed or counted at ${kind} ${name}. Compare it with what state lists.\n`;
      return { value, text, exitCode: 1 };
    }
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function limitsOf(kit: Doorcode): OperatorLimits {
  if (kit[doorcodeParts].login) return kit.limits;
  throw new CommandError("this kit was created without login, so it has no limits: name the module of one with login");
}

/** Returns the limits of a kit whose store the running app shares: in the memory of this process nothing was ever counted. */
function sharedLimits(kit: Doorcode): OperatorLimits {
  if (kit[doorcodeParts].hasMemoryStore) {
    throw new CommandError(
      "this kit keeps its limits in the memory of one process, which only the app itself sees: give it a shared store, " +
        "such as createRedisStore({ client }), or call doorcode.limits within the app",
    );
  }
  return limitsOf(kit);
}
