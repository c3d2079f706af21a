import { parseArgs } from "node:util";
import type { GroupKind } from "../limits/groups.ts";
import { parseE164 } from "../phone/phone-number.ts";
import { CommandError } from "./command-error.ts";

/** What the command does with the limits. */
export type LimitsCommand =
  | { readonly name: "describe" | "state" }
  | { readonly name: "open"; readonly kind: GroupKind | "phone"; readonly value: string };

/** The parsed command line. */
export interface CommandLine {
  readonly command: LimitsCommand;
  /** The path of the module that exports the kit. */
  readonly kit: string;
  readonly json: boolean;
}

const kinds: readonly (GroupKind | "phone")[] = ["block", "wide_block", "address", "network", "phone"];
const options = { kit: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean" } } as const;

/**
 * Parses the arguments of the command.
 *
 * @returns `"help"` if they ask for it.
 * @throws CommandError for wrong arguments
 */
export function parseCommandLine(args: readonly string[]): CommandLine | "help" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  const command = parseCommand(positionals);
  const { kit, json = false } = values;
  if (kit === undefined || kit === "") {
    throw new CommandError("--kit is missing: name the module that exports your kit, such as --kit ./doorcode.js");
  }
  return { command, kit, json };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    throw new CommandError("these arguments are wrong; the options are --kit FILE, --json and --help");
  }
}

function parseCommand([name, kind, value, ...more]: readonly string[]): LimitsCommand {
  if ((name === "describe" || name === "state") && kind === undefined) return { name };
  if (name !== "open") throw new CommandError("expected describe, state, or open KIND VALUE; see --help");
  const known = kinds.find((each) => each === kind);
  if (known === undefined || value === undefined || value === "" || more.length > 0) {
    throw new CommandError(`open needs a kind and a value: open KIND VALUE, with KIND one of ${kinds.join(", ")}`);
  }
  // What is counted for a number is found by its E.164 only.
  if (known === "phone" && !parseE164(value)) {
    throw new CommandError("open phone needs a number in E.164, such as +4915123456789");
  }
  return { name, kind: known, value };
}
