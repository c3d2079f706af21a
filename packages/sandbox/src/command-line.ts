import { parseArgs } from "node:util";
import { isLoopbackUrl } from "./webhook/loopback.ts";

/** What `--help` prints. */
export const help: string = `Usage: doorcode-sandbox [options]

Runs the messaging and verification service on this machine.

  --port PORT         port on 127.0.0.1, 0 for any free one (default 4010)
  --webhook-url URL   where webhooks go, on this machine: http://localhost:3000/webhooks
  --help              shows this
`;

/** What the command line asks for. */
export interface CommandLine {
  readonly port: number;
  readonly webhookUrl: string | undefined;
}

const options = { port: { type: "string" }, "webhook-url": { type: "string" }, help: { type: "boolean" } } as const;

/** Reads the arguments of the command. Answers `help`, or any other text: the sentence that says what is wrong. */
export function readCommandLine(args: readonly string[]): CommandLine | "help" | string {
  const values = readValues(args);
  if (typeof values === "string") return values;
  if (values.help) return "help";
  const { port = "4010", "webhook-url": webhookUrl } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return "--port must be a number from 0 to 65535.";
  if (webhookUrl !== undefined && !isLoopbackUrl(webhookUrl)) {
    return "--webhook-url must be an http or https URL on this machine, such as http://localhost:3000/webhooks.";
  }
  return { port: Number(port), webhookUrl };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function readValues(args: readonly string[]): Values | string {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const sentence = error instanceof Error ? error.message.split(". ")[0] : "";
    return `${sentence}. See --help.`;
  }
}
