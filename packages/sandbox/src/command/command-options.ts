import { isToken, tokenExpectation } from "../primitives/token.ts";
import { type ClockMode, clockModeShape } from "../time/clock-mode.ts";

/** A command-line option with a value. */
export interface ValuedOption {
  /** Tells whether a value is valid. */
  readonly accepts: (text: string) => boolean;
  /** The valid values, in words. */
  readonly expected: string;
}

/** The command-line options with a value, by name. */
export const valuedOptions: ReadonlyMap<string, ValuedOption> = new Map([
  ["port", { accepts: isPort, expected: "a number from 0 to 65535" }],
  ["host", { accepts: isAddress, expected: "an address of this machine to listen on, such as 127.0.0.1 or 0.0.0.0" }],
  ["token", { accepts: isToken, expected: tokenExpectation }],
  ["allow-host", { accepts: isHostname, expected: "a host name without port, such as sandbox.local" }],
  ["webhook-url", { accepts: isWebUrl, expected: "an http or https URL, such as http://localhost:3000/webhooks" }],
  [
    "max-messages",
    { accepts: (text) => /^[1-9]\d{0,8}$/.test(text), expected: "the number of messages to keep, such as 50000" },
  ],
  ["data", { accepts: (text) => text !== "", expected: "the path of a file, such as sandbox.db" }],
  [
    "clock",
    {
      accepts: (text) => parseClock(text) !== undefined,
      expected: "real, frozen or scaled:N, with N above 0 and at most 100000",
    },
  ],
]);

/** All command-line options, for `parseArgs`. */
export const commandOptions = {
  port: { type: "string" },
  host: { type: "string" },
  token: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "webhook-url": { type: "string" },
  "allow-remote-webhooks": { type: "boolean" },
  data: { type: "string" },
  "max-messages": { type: "string" },
  clock: { type: "string" },
  quiet: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** Parses the value of `--clock`: `real`, `frozen` or `scaled:N`; undefined when it is invalid. */
export function parseClock(text: string): ClockMode | undefined {
  const scale = /^scaled:(\d{1,6}(?:\.\d{1,9})?)$/.exec(text)?.[1];
  return clockModeShape.safeParse(scale === undefined ? text : { scale: Number(scale) }).data;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function isAddress(text: string): boolean {
  return isHostname(text.includes(":") ? `[${text}]` : text);
}

/** A name that a URL parser returns unchanged contains no port, path or user. */
function isHostname(text: string): boolean {
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  return hostname !== undefined && hostname === text.toLowerCase();
}
