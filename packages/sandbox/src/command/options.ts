/** An option that takes a value: which texts it accepts, and in words. */
export interface ValuedOption {
  readonly accepts: (text: string) => boolean;
  readonly expected: string;
}

/** The options of the command that take a value, by name. */
export const valuedOptions: ReadonlyMap<string, ValuedOption> = new Map([
  ["port", { accepts: isPort, expected: "a number from 0 to 65535" }],
  ["host", { accepts: isAddress, expected: "an address of this machine to listen on, such as 127.0.0.1 or 0.0.0.0" }],
  ["allow-host", { accepts: isHostname, expected: "a host name without port, such as sandbox.local" }],
  ["webhook-url", { accepts: isWebUrl, expected: "an http or https URL, such as http://localhost:3000/webhooks" }],
  ["data", { accepts: (text) => text !== "", expected: "the path of a file, such as sandbox.db" }],
  ["clock", { accepts: isClock, expected: "real, frozen or scaled:N, with N above 0 and at most 100000" }],
]);

/** All options of the command as `parseArgs` takes them. */
export const commandOptions = {
  port: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "webhook-url": { type: "string" },
  "allow-remote-webhooks": { type: "boolean" },
  data: { type: "string" },
  clock: { type: "string" },
  quiet: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" },
} as const;

/** Reads how much faster than the machine's a clock runs from `scaled:N`; undefined when it is not that. */
export function readScale(text: string): number | undefined {
  const scale = Number(/^scaled:(\d{1,6}(?:\.\d{1,9})?)$/.exec(text)?.[1]);
  return scale > 0 && scale <= 100_000 ? scale : undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function isClock(text: string): boolean {
  return text === "real" || text === "frozen" || readScale(text) !== undefined;
}

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function isAddress(text: string): boolean {
  return isHostname(text.includes(":") ? `[${text}]` : text);
}

/** A name that comes out of a URL as it went in has no port, no path and no user in it. */
function isHostname(text: string): boolean {
  const hostname = URL.parse(`http://${text}/`)?.hostname;
  return hostname !== undefined && hostname === text.toLowerCase();
}
