import { parseArgs } from "node:util";
import { isLoopbackInterface, isLoopbackUrl } from "../primitives/loopback.ts";
import { isToken, type SandboxOptions, tokenExpectation } from "../start/options.ts";
import { defaultDialect } from "../state/dialect.ts";
import { type ClockMode, clockModeShape } from "../time/clock.ts";
import { isDestination } from "../wire/requests.ts";

/** The parsed command line. */
export type CommandLine = { readonly command: "help" | "version" } | ServeCommand | ExecCommand | McpCommand;

/** The part of a command that says how to start a sandbox. */
export interface StartCommand {
  readonly options: SandboxOptions;
  readonly webhookUrl: string | undefined;
}

/** The command without a name, which runs the sandbox. */
export interface ServeCommand extends StartCommand {
  readonly command: "serve";
  /** Whether messages are not printed. */
  readonly quiet: boolean;
}

/** The command `exec`, which runs a program with the sandbox. */
export interface ExecCommand extends StartCommand {
  readonly command: "exec";
  readonly program: readonly [string, ...string[]];
}

/** The command `mcp`, which serves the tools for agents on stdin and stdout. With a `url` it only uses the token of the options. */
export interface McpCommand extends StartCommand {
  readonly command: "mcp";
  /** The URL of the running sandbox to connect to; undefined to start one. */
  readonly url: string | undefined;
}

/** A mistake in the command line. Its message says what is wrong and what is expected. */
export class CommandError extends Error {}

/** The environment variable in place of `--token`. Unlike an argument, other users of the machine cannot see it. */
export const tokenVariable = "DOORCODE_SANDBOX_TOKEN";

/**
 * Parses the arguments of the command.
 *
 * @param environment - may hold the token.
 * @throws CommandError with the first mistake
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): CommandLine {
  const end = args.indexOf("--");
  const own = end === -1 ? [...args] : args.slice(0, end);
  checkOptions(own);
  const { values: given, positionals } = parseArgs({ args: own, options: commandOptions, allowPositionals: true });
  const token = given.token ?? environment[tokenVariable];
  const values = { ...given, ...(token && { token }) };
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const [command, ...extra] = positionals;
  if (command !== undefined && command !== "exec" && command !== "mcp") {
    throw new CommandError(`${quote(command)} is unknown. The commands are exec and mcp, see --help.`);
  }
  if (values.url !== undefined && command !== "mcp") {
    throw new CommandError("--url needs mcp: doorcode-sandbox mcp --url URL.");
  }
  checkToken(values);
  checkWebhookUrl(values);
  const start = parseStart(values, command === "exec" ? 0 : 4010);
  if (command === "exec") return { ...start, command, program: parseProgram(extra, args.slice(own.length + 1)) };
  if (command === "mcp") {
    checkMcp(values.url, extra.length > 0 || end !== -1, Object.keys(given));
    return { ...start, command, url: values.url };
  }
  if (end !== -1) throw new CommandError("A program after -- needs exec, such as: doorcode-sandbox exec -- npm test.");
  return { ...start, command: "serve", quiet: values.quiet ?? false };
}

function checkMcp(url: string | undefined, hasMore: boolean, names: readonly string[]): void {
  if (hasMore) {
    throw new CommandError("mcp takes options only, such as: doorcode-sandbox mcp --url http://localhost:4010.");
  }
  const ofOwn = names.find((name) => name !== "url" && name !== "token");
  if (url !== undefined && ofOwn !== undefined) {
    throw new CommandError(`--${ofOwn} has no effect on the sandbox that runs at --url. Leave one of them out.`);
  }
}

function parseProgram(extra: readonly string[], [name, ...args]: readonly string[]): ExecCommand["program"] {
  if (extra.length > 0 || name === undefined || name === "") {
    throw new CommandError("exec needs the program after --, such as: doorcode-sandbox exec -- npm test.");
  }
  return [name, ...args];
}

function parseStart(values: Values, defaultPort: number): StartCommand {
  const { port, host, token, data, clock, "max-messages": maxMessages } = values;
  const options = {
    port: port === undefined ? defaultPort : Number(port),
    host,
    token,
    allowedHosts: values["allow-host"] ?? [],
    allowRemoteWebhooks: values["allow-remote-webhooks"] ?? false,
    data,
    maxMessages: maxMessages === undefined ? undefined : Number(maxMessages),
    clock: clock === undefined ? undefined : parseClock(clock),
  };
  return { options, webhookUrl: values["webhook-url"] };
}

function checkToken({ host, token }: Values): void {
  // The value of the argument was checked before, so this one is from the environment.
  if (token !== undefined && !isToken(token)) throw new CommandError(`${tokenVariable} must be ${tokenExpectation}.`);
  if (host === undefined || token !== undefined || isLoopbackInterface(host)) return;
  throw new CommandError(`--host ${host} lets other machines connect. Set ${tokenVariable} to ${tokenExpectation}.`);
}

function checkWebhookUrl(values: Values): void {
  const url = values["webhook-url"];
  if (url === undefined) return;
  if (!values["allow-remote-webhooks"] && !isLoopbackUrl(url)) {
    throw new CommandError(
      "--webhook-url must be on this machine, such as http://localhost:3000/webhooks, unless you add --allow-remote-webhooks.",
    );
  }
  if (isDestination(url, defaultDialect)) return;
  throw new CommandError("--webhook-url must be https, or http on this machine, without a user name or password.");
}

/** Refuses an unknown option and an invalid value. `parseArgs` would not say which values are valid. */
function checkOptions(args: string[]): void {
  const { tokens } = parseArgs({ args, options: commandOptions, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!isOptionName(token.name)) throw new CommandError(`${quote(token.rawName)} is unknown, see --help.`);
    const option = commandOptions[token.name];
    if (option.type === "boolean") {
      if (token.value !== undefined) throw new CommandError(`${token.rawName} takes no value.`);
      continue;
    }
    // A separate argument that begins with a dash is the next option: the value is missing.
    const value = token.inlineValue || !token.value?.startsWith("-") ? token.value : undefined;
    if (value !== undefined && option.accepts(value)) continue;
    throw new CommandError(`${token.rawName} must be ${option.expected}.`);
  }
}

/** Quotes a text so that it stays on one line. */
function quote(text: string | undefined): string {
  return JSON.stringify(text ?? "");
}

type Values = ReturnType<typeof parseArgs<{ options: typeof commandOptions; allowPositionals: true }>>["values"];

/** All command-line options, for `parseArgs`; for an option with a value, which values are valid. */
const commandOptions = {
  port: {
    type: "string",
    accepts: (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
    expected: "a number from 0 to 65535",
  },
  host: {
    type: "string",
    accepts: (text: string) => isHostname(text.includes(":") ? `[${text}]` : text),
    expected: "an address of this machine to listen on, such as 127.0.0.1 or 0.0.0.0",
  },
  token: { type: "string", accepts: isToken, expected: tokenExpectation },
  "allow-host": {
    type: "string",
    multiple: true,
    accepts: isHostname,
    expected: "a host name without port, such as sandbox.local",
  },
  "webhook-url": {
    type: "string",
    accepts: (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
    expected: "an http or https URL, such as http://localhost:3000/webhooks",
  },
  "allow-remote-webhooks": { type: "boolean" },
  url: {
    type: "string",
    accepts: isLoopbackUrl,
    expected: "the URL of a sandbox on this machine, such as http://localhost:4010",
  },
  data: { type: "string", accepts: (text: string) => text !== "", expected: "the path of a file, such as sandbox.db" },
  "max-messages": {
    type: "string",
    accepts: (text: string) => /^[1-9]\d{0,8}$/.test(text),
    expected: "the number of messages to keep, such as 50000",
  },
  clock: {
    type: "string",
    accepts: (text: string) => parseClock(text) !== undefined,
    expected: "real, frozen or scaled:N, with N above 0 and at most 100000",
  },
  quiet: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

function isOptionName(name: string): name is keyof typeof commandOptions {
  return Object.hasOwn(commandOptions, name);
}

/** Parses the value of `--clock`: `real`, `frozen` or `scaled:N`; undefined when it is invalid. */
function parseClock(text: string): ClockMode | undefined {
  const scale = /^scaled:(\d{1,6}(?:\.\d{1,9})?)$/.exec(text)?.[1];
  return clockModeShape.safeParse(scale === undefined ? text : { scale: Number(scale) }).data;
}

/** A name that a URL parser returns unchanged contains no port, path or user. */
function isHostname(text: string): boolean {
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  return hostname !== undefined && hostname === text.toLowerCase();
}

/** The output of `--help`. */
export const help: string = `Usage: doorcode-sandbox [options]
       doorcode-sandbox exec [options] -- PROGRAM ARGS…
       doorcode-sandbox mcp [options]

Runs the messaging and verification service on this machine, and prints every message with
its code.

exec starts the service, runs PROGRAM with SERVICE_URL, SERVICE_API_KEY, WEBHOOK_SECRET,
SESSION_PASSWORD and DOORCODE_SANDBOX_URL in its environment, stops the service, and exits
with PROGRAM's exit code: doorcode-sandbox exec -- npm test. It prints nothing itself.

mcp serves the tools for agents on stdin and stdout: of a sandbox that it starts and stops,
or of a running one with --url.

A --host that other machines can reach needs a token in DOORCODE_SANDBOX_TOKEN. The page and
the control API then require the token, and the service has a random API key and signing
secret.

  --port PORT              port to listen on, 0 for any free one (default 4010; for exec 0)
  --host HOST              interface to listen on (default 127.0.0.1: only this machine)
  --token TOKEN            in place of DOORCODE_SANDBOX_TOKEN; at least 16 characters, which
                           other users of this machine can see in the list of processes
  --allow-host NAME        one more name that the Host header may have; can be repeated
  --webhook-url URL        webhook endpoint on this machine: http://localhost:3000/webhooks
  --allow-remote-webhooks  allows webhooks to other machines
  --url URL                for mcp: a running sandbox, such as http://localhost:4010
  --data FILE              keeps all records in this file (default: only in memory)
  --max-messages N         messages that each application keeps (default 10000)
  --clock CLOCK            real, frozen, or scaled:N for N times as fast (default real)
  --quiet                  prints no messages, no refused requests, no failing endpoints
  --help                   shows this help
  --version                shows the version
`;
