import { type Doorcode, isDoorcodeError, type OperatorLimits } from "@doorcode/core";
import { doorcodeParts } from "@doorcode/core/adapter";
import { CommandError } from "../command/command-error.ts";
import type { LimitsAction, LimitsCommand } from "../command/command-line.ts";
import { loadKit } from "./load-kit.ts";
import { describeText, stateText } from "./print.ts";

/** What an action has found: a value for programs, and text for people. */
interface Result {
  readonly value: unknown;
  readonly text: string;
  readonly exitCode?: number;
}

/** Shows or changes the limits of a running app. Returns the exit code. @throws CommandError */
export async function runLimits({ kit, action, json }: LimitsCommand): Promise<number> {
  const { value, text, exitCode = 0 } = await resultOf(await loadKit(kit), action).catch(refuse);
  process.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : text);
  return exitCode;
}

function refuse(error: unknown): never {
  throw isDoorcodeError(error) ? new CommandError(error.message, 1) : error;
}

async function resultOf(kit: Doorcode, action: LimitsAction): Promise<Result> {
  switch (action.name) {
    case "describe": {
      const value = limitsOf(kit).describe();
      return { value, text: describeText(value) };
    }
    case "state": {
      const value = await sharedLimits(kit).state();
      return { value, text: stateText(value) };
    }
    case "open": {
      const { kind, value: name } = action;
      const opened = await sharedLimits(kit).open(kind, name);
      const value = { opened };
      if (opened) return { value, text: `${kind} ${name} is open.\n` };
      const text = `Nothing was closed or counted at ${kind} ${name}. Compare it with what state lists.\n`;
      return { value, text, exitCode: 1 };
    }
  }
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
