import { parseArgs } from "node:util";
import type { SandboxOptions } from "../options.ts";
import { isLoopbackUrl } from "../webhook/loopback.ts";
import { isDestination } from "../wire/destination.ts";
import { defaultDialect } from "../wire/dialect.ts";
import { commandOptions, readScale, valuedOptions } from "./options.ts";

/** What the command line asks for. */
export type CommandLine =
  | { readonly act: "help" | "version" }
  /** `sentence` says what is wrong and what is expected. */
  | { readonly act: "refuse"; readonly sentence: string }
  | Serving
  | Executing;

/** The plain command. */
export interface Serving {
  readonly act: "serve";
  readonly choices: SandboxOptions;
  readonly webhookUrl: string | undefined;
  readonly quiet: boolean;
}

/** The command `exec`. */
export interface Executing {
  readonly act: "exec";
  readonly choices: SandboxOptions;
  readonly webhookUrl: string | undefined;
  /** The program to run and its arguments. */
  readonly command: readonly [string, ...string[]];
}

/** Reads the arguments of the command. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const end = args.indexOf("--");
  const own = end === -1 ? [...args] : args.slice(0, end);
  const wrong = misuse(own);
  if (wrong !== undefined) return refuse(wrong);
  const { values, positionals } = parseArgs({ args: own, options: commandOptions, allowPositionals: true });
  if (values.help) return { act: "help" };
  if (values.version) return { act: "version" };
  if (positionals.length > 0 && positionals[0] !== "exec") {
    return refuse(`${quote(positionals[0])} is unknown: the only command is exec, see --help.`);
  }
  return positionals.length > 0
    ? readExec(values, positionals.slice(1), end === -1 ? [] : args.slice(end + 1))
    : readServe(values, end !== -1);
}

function readServe(values: Values, hasCommand: boolean): CommandLine {
  if (hasCommand) return refuse("a command after -- belongs to exec: doorcode-sandbox exec -- npm test.");
  const webhookUrl = values["webhook-url"];
  const foreign = refuseForeign(values);
  return foreign ?? { act: "serve", choices: readChoices(values, 4010), webhookUrl, quiet: values.quiet ?? false };
}

function readExec(values: Values, strays: readonly string[], command: readonly string[]): CommandLine {
  const [program, ...programArgs] = command;
  if (strays.length > 0 || program === undefined || program === "") {
    return refuse("exec needs the command after --, such as: doorcode-sandbox exec -- npm test.");
  }
  const webhookUrl = values["webhook-url"];
  const choices = readChoices(values, 0);
  return refuseForeign(values) ?? { act: "exec", choices, webhookUrl, command: [program, ...programArgs] };
}

function readChoices(values: Values, defaultPort: number): SandboxOptions {
  const { port, host, data, clock } = values;
  const scale = readScale(clock ?? "");
  return {
    port: port === undefined ? defaultPort : Number(port),
    ...(host !== undefined && { host }),
    allowedHosts: values["allow-host"] ?? [],
    allowRemoteWebhooks: values["allow-remote-webhooks"] ?? false,
    ...(data !== undefined && { data }),
    ...(clock !== undefined && { clock: scale === undefined ? (clock === "frozen" ? "frozen" : "real") : { scale } }),
  };
}

function refuseForeign(values: Values): CommandLine | undefined {
  const url = values["webhook-url"];
  if (url === undefined) return undefined;
  if (!values["allow-remote-webhooks"] && !isLoopbackUrl(url)) {
    return refuse(
      "--webhook-url must be on this machine, such as http://localhost:3000/webhooks, or come with --allow-remote-webhooks.",
    );
  }
  if (isDestination(url, defaultDialect)) return undefined;
  return refuse("--webhook-url must be https, or http on this machine, with no user in it.");
}

/** Finds the first option that is unknown or has no value that it takes; `parseArgs` itself does not say what it expects. */
function misuse(args: string[]): string | undefined {
  const { tokens } = parseArgs({ args, options: commandOptions, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!Object.hasOwn(commandOptions, token.name)) return `${quote(token.rawName)} is unknown: see --help.`;
    const valued = valuedOptions.get(token.name);
    if (valued === undefined && token.value !== undefined) return `${token.rawName} takes no value.`;
    // What begins with a dash and stands apart is the next option: the value was forgotten.
    const value = token.inlineValue || !token.value?.startsWith("-") ? token.value : undefined;
    if (valued && (value === undefined || !valued.accepts(value)))
      return `${token.rawName} must be ${valued.expected}.`;
  }
  return undefined;
}

/** One line, whatever was typed. */
function quote(text: string | undefined): string {
  return JSON.stringify(text ?? "");
}

function refuse(sentence: string): CommandLine {
  return { act: "refuse", sentence };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof commandOptions; allowPositionals: true }>>["values"];
