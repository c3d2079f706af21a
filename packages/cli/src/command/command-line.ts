import { parseArgs } from "node:util";
import { CommandError } from "./command-error.ts";

/** The parsed command line. */
export type CommandLine = { readonly command: "help" | "version" } | CheckCommand | InitCommand;

/** The command `check`. */
export interface CheckCommand {
  /** Distinguishes the commands. */
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
  /** Distinguishes the commands. */
  readonly command: "init";
  /** The folder of the app. */
  readonly folder: string;
  /** Whether to write: after a question, without one, or not at all. */
  readonly write: "ask" | "yes" | "no";
  /** Whether to install the packages. */
  readonly install: boolean;
  /** The ISO codes of the countries whose numbers may log in. */
  readonly countries: readonly string[];
}

const checkOptions = { "env-file": { type: "string" }, json: { type: "boolean" } } as const;
const initOptions = {
  yes: { type: "boolean" },
  "dry-run": { type: "boolean" },
  "no-install": { type: "boolean" },
  countries: { type: "string" },
} as const;
const options = { ...checkOptions, ...initOptions, help: { type: "boolean" }, version: { type: "boolean" } } as const;

/** Parses the arguments of the command. @throws CommandError for wrong arguments */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const [command, ...rest] = positionals;
  if (command === "check") return parseCheck(values, rest);
  if (command === "init") return parseInit(values, rest);
  throw new CommandError("expected the command check or init, see --help");
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
  return { command: "init", folder, write, install: !values["no-install"], countries: codes };
}

function refuseOthers(command: string, values: Values, own: object): void {
  const stranger = Object.keys(values).find((name) => !Object.hasOwn(own, name));
  if (stranger !== undefined) throw new CommandError(`${command} has no option --${stranger}, see --help`);
}
