import { parseArgs } from "node:util";
import type { ClosedGroup } from "@doorcode/core/adapter";
import { CommandError } from "./command-error.ts";

/** The parsed command line. */
export type CommandLine = { readonly command: "help" | "version" } | CheckCommand | InitCommand | LimitsCommand;

/** The command `check`. */
export interface CheckCommand {
  readonly command: "check";
  /** The webhook endpoint. */
  readonly url: string;
  /** The file to read the secret from. */
  readonly envFile: string | undefined;
  /** Whether to print JSON. */
  readonly json: boolean;
}

/** The command `init`. */
export interface InitCommand {
  readonly command: "init";
  /** The folder of the app. */
  readonly folder: string;
  /** Whether to write: after a question, without one, or not at all. */
  readonly write: "ask" | "yes" | "no";
  /** Whether to install the packages. */
  readonly install: boolean;
  /** The ISO codes of the countries whose numbers may log in. */
  readonly countries: readonly string[];
  /** Whether the login has a page; `undefined` to ask on a terminal, and else to have none. */
  readonly page: boolean | undefined;
}

/** The command `limits`. */
export interface LimitsCommand {
  readonly command: "limits";
  /** What to do with the limits. */
  readonly action: LimitsAction;
  /** The path of the module that exports the kit. */
  readonly kit: string;
  /** Whether to print JSON. */
  readonly json: boolean;
}

type LimitKind = ClosedGroup["kind"] | "phone";

/** An action of the command `limits`. */
export type LimitsAction =
  | { readonly name: "describe" | "state" }
  | { readonly name: "open"; readonly kind: LimitKind; readonly value: string };

const limitKinds: readonly LimitKind[] = ["block", "wide_block", "address", "network", "phone"];

const checkOptions = { "env-file": { type: "string" }, json: { type: "boolean" } } as const;
const initOptions = {
  yes: { type: "boolean" },
  "dry-run": { type: "boolean" },
  "no-install": { type: "boolean" },
  countries: { type: "string" },
  page: { type: "boolean" },
} as const;
const limitsOptions = { kit: { type: "string" }, json: { type: "boolean" } } as const;
const options = {
  ...checkOptions,
  ...initOptions,
  ...limitsOptions,
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** Parses the arguments of the command. @throws CommandError for wrong arguments */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const [command, ...rest] = positionals;
  if (command === "check") return parseCheck(values, rest);
  if (command === "init") return parseInit(values, rest);
  if (command === "limits") return parseLimits(values, rest);
  throw new CommandError("expected the command check, init or limits, see --help");
}

type Values = ReturnType<typeof parse>["values"];

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    throw new CommandError("these arguments are wrong, see --help");
  }
}

function parseCheck(values: Values, [url, ...more]: readonly string[]): CheckCommand {
  refuseOthers("check", values, checkOptions);
  if (url === undefined || more.length > 0) {
    throw new CommandError("check needs one URL, such as: npx @doorcode/cli check https://app.example.com/webhooks");
  }
  return { command: "check", url, envFile: values["env-file"], json: values.json ?? false };
}

function parseInit(values: Values, [folder = ".", ...more]: readonly string[]): InitCommand {
  refuseOthers("init", values, initOptions);
  if (more.length > 0) throw new CommandError("init takes one folder at most");
  const { yes, countries = "US" } = values;
  const codes = countries.toUpperCase().split(",");
  if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
    throw new CommandError("--countries must be ISO codes with commas between them, such as DE,AT");
  }
  const write = values["dry-run"] ? "no" : yes ? "yes" : "ask";
  return { command: "init", folder, write, install: !values["no-install"], countries: codes, page: values.page };
}

function parseLimits(values: Values, rest: readonly string[]): LimitsCommand {
  refuseOthers("limits", values, limitsOptions);
  const action = parseAction(rest);
  const { kit, json = false } = values;
  if (kit === undefined || kit === "") {
    throw new CommandError("--kit is missing: name the module that exports your kit, such as --kit ./doorcode.js");
  }
  return { command: "limits", action, kit, json };
}

function parseAction([name, kind, value, ...more]: readonly string[]): LimitsAction {
  if ((name === "describe" || name === "state") && kind === undefined) return { name };
  if (name !== "open") throw new CommandError("limits takes describe, state, or open KIND VALUE; see --help");
  const known = limitKinds.find((each) => each === kind);
  if (known === undefined || value === undefined || value === "" || more.length > 0) {
    throw new CommandError(`open needs a kind and a value: open KIND VALUE, with KIND one of ${limitKinds.join(", ")}`);
  }
  // What is counted for a number is found by its E.164 only.
  if (known === "phone" && !/^\+[1-9]\d{1,14}$/.test(value)) {
    throw new CommandError("open phone needs a number in E.164, such as +4915123456789");
  }
  return { name, kind: known, value };
}

function refuseOthers(command: string, values: Values, own: object): void {
  const stranger = Object.keys(values).find((name) => !Object.hasOwn(own, name));
  if (stranger !== undefined) throw new CommandError(`${command} has no option --${stranger}, see --help`);
}
