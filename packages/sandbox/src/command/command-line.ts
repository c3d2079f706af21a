import { parseArgs } from "node:util";
import { isLoopbackInterface, isLoopbackUrl } from "../primitives/loopback.ts";
import { isToken, tokenExpectation } from "../primitives/token.ts";
import type { SandboxOptions } from "../start/options.ts";
import { defaultDialect } from "../state/dialect.ts";
import { isDestination } from "../wire/destination.ts";
import { commandOptions, parseClock, valuedOptions } from "./command-options.ts";

/** The parsed command line. */
export type CommandLine =
  | { readonly command: "help" | "version" }
  /** An invalid command line. `message` says what is wrong and what is expected. */
  | { readonly command: "invalid"; readonly message: string }
  | ServeCommand
  | ExecCommand;

/** The command without a name, which runs the sandbox. */
export interface ServeCommand {
  /** Distinguishes the commands. */
  readonly command: "serve";
  /** The options of the sandbox. */
  readonly options: SandboxOptions;
  /** The webhook endpoint to register. */
  readonly webhookUrl: string | undefined;
  /** Whether messages are not printed. */
  readonly quiet: boolean;
}

/** The command `exec`, which runs a program with the sandbox. */
export interface ExecCommand {
  /** Distinguishes the commands. */
  readonly command: "exec";
  /** The options of the sandbox. */
  readonly options: SandboxOptions;
  /** The webhook endpoint to register. */
  readonly webhookUrl: string | undefined;
  /** The program and its arguments. */
  readonly program: readonly [string, ...string[]];
}

/** The environment variable in place of `--token`. Unlike an argument, other users of the machine cannot see it. */
export const tokenVariable = "DOORCODE_SANDBOX_TOKEN";

/**
 * Parses the arguments of the command.
 *
 * @param environment - may hold the token.
 */
export function parseCommandLine(args: readonly string[], environment: NodeJS.ProcessEnv): CommandLine {
  const end = args.indexOf("--");
  const own = end === -1 ? [...args] : args.slice(0, end);
  const problem = optionProblem(own);
  if (problem !== undefined) return invalid(problem);
  const { values: given, positionals } = parseArgs({ args: own, options: commandOptions, allowPositionals: true });
  const token = given.token ?? environment[tokenVariable];
  const values = { ...given, ...(token && { token }) };
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  if (positionals.length > 0 && positionals[0] !== "exec") {
    return invalid(`${quote(positionals[0])} is unknown. The only command is exec, see --help.`);
  }
  const wrongValue = tokenProblem(values) ?? webhookUrlProblem(values);
  if (wrongValue !== undefined) return invalid(wrongValue);
  return positionals.length > 0
    ? parseExec(values, positionals.slice(1), end === -1 ? [] : args.slice(end + 1))
    : parseServe(values, end !== -1);
}

function parseServe(values: Values, hasProgram: boolean): CommandLine {
  if (hasProgram) return invalid("A program after -- needs exec, such as: doorcode-sandbox exec -- npm test.");
  const webhookUrl = values["webhook-url"];
  return { command: "serve", options: sandboxOptions(values, 4010), webhookUrl, quiet: values.quiet ?? false };
}

function parseExec(values: Values, extra: readonly string[], program: readonly string[]): CommandLine {
  const [name, ...args] = program;
  if (extra.length > 0 || name === undefined || name === "") {
    return invalid("exec needs the program after --, such as: doorcode-sandbox exec -- npm test.");
  }
  const webhookUrl = values["webhook-url"];
  return { command: "exec", options: sandboxOptions(values, 0), webhookUrl, program: [name, ...args] };
}

function sandboxOptions(values: Values, defaultPort: number): SandboxOptions {
  const { port, host, token, data } = values;
  return {
    port: port === undefined ? defaultPort : Number(port),
    ...(host !== undefined && { host }),
    ...(token !== undefined && { token }),
    allowedHosts: values["allow-host"] ?? [],
    allowRemoteWebhooks: values["allow-remote-webhooks"] ?? false,
    ...(data !== undefined && { data }),
    ...(values["max-messages"] !== undefined && { maxMessages: Number(values["max-messages"]) }),
    clock: values.clock === undefined ? undefined : parseClock(values.clock),
  };
}

function tokenProblem({ host, token }: Values): string | undefined {
  // The value of the argument was checked before, so this one is from the environment.
  if (token !== undefined && !isToken(token)) return `${tokenVariable} must be ${tokenExpectation}.`;
  if (host === undefined || token !== undefined || isLoopbackInterface(host)) return undefined;
  return `--host ${host} lets other machines connect. Set ${tokenVariable} to ${tokenExpectation}.`;
}

function webhookUrlProblem(values: Values): string | undefined {
  const url = values["webhook-url"];
  if (url === undefined) return undefined;
  if (!values["allow-remote-webhooks"] && !isLoopbackUrl(url)) {
    return "--webhook-url must be on this machine, such as http://localhost:3000/webhooks, unless you add --allow-remote-webhooks.";
  }
  if (isDestination(url, defaultDialect)) return undefined;
  return "--webhook-url must be https, or http on this machine, without a user name or password.";
}

/** Finds the first unknown option or invalid value. `parseArgs` would not say which values are valid. */
function optionProblem(args: string[]): string | undefined {
  const { tokens } = parseArgs({ args, options: commandOptions, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!Object.hasOwn(commandOptions, token.name)) return `${quote(token.rawName)} is unknown, see --help.`;
    const valued = valuedOptions.get(token.name);
    if (valued === undefined && token.value !== undefined) return `${token.rawName} takes no value.`;
    // A separate argument that begins with a dash is the next option: the value is missing.
    const value = token.inlineValue || !token.value?.startsWith("-") ? token.value : undefined;
    if (valued && (value === undefined || !valued.accepts(value)))
      return `${token.rawName} must be ${valued.expected}.`;
  }
  return undefined;
}

/** Quotes a text so that it stays on one line. */
function quote(text: string | undefined): string {
  return JSON.stringify(text ?? "");
}

function invalid(message: string): CommandLine {
  return { command: "invalid", message };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof commandOptions; allowPositionals: true }>>["values"];
