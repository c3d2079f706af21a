import { type Clock, systemClock } from "@doorcode/core/clock";
import { minInboxKeepSeconds } from "@doorcode/core/inbox";
import { checkClock, checkKeys, checkTimeout } from "../check-options.ts";
import { isClient, type RedisClient } from "../connection/client.ts";
import { keyPrefixOf } from "./bull-clients.ts";

/** Options of `createBullInbox`. */
export interface BullInboxOptions {
  /** The app's client. It stays the app's: the inbox makes connections of its own from it, which end with it. */
  readonly client: RedisClient;
  /** Stands before every key of the queue, after the client's `keyPrefix`; `{doorcode}` when left out. Keep the braces in a cluster. */
  readonly prefix?: string;
  /** The name of the queue; `webhooks` when left out. Two apps on one Redis need two, or two prefixes: a queue is one app's. */
  readonly name?: string;
  /** How long Redis may take to keep an event; above 0 and below 4, 2 when left out. */
  readonly timeoutSeconds?: number;
  /** How long an event that was handled stays known, at least; from 7,200 to 31,536,000 (a year), 7,200 when left out. */
  readonly keepSeconds?: number;
  /** How long dead letters are kept; from 1 to 31,536,000 (a year), 1,209,600 (14 days) when left out. */
  readonly keepDeadLettersSeconds?: number;
  /** A worker that died is noticed after once to twice that long; from 1 to 300, 15 when left out. */
  readonly takeOverSeconds?: number;
  /** Times the waiting. The machine's clock when left out. */
  readonly clock?: Clock;
}

const names: readonly (keyof BullInboxOptions)[] = [
  "client",
  "prefix",
  "name",
  "timeoutSeconds",
  "keepSeconds",
  "keepDeadLettersSeconds",
  "takeOverSeconds",
  "clock",
];

/** What is kept for longer would be kept by nobody who remembers it, and fills Redis. */
const maxKeepSeconds = 31_536_000;

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError that names the option, what was expected and the fix.
 */
export function checkInboxOptions(options: BullInboxOptions): Required<BullInboxOptions> {
  checkKeys("createBullInbox", options, names);
  const checked = addDefaults(options);
  if (!isClient(checked.client)) {
    throw new TypeError(
      "createBullInbox: client must be a client of ioredis 6, such as new Redis(process.env.REDIS_URL). Clients of other packages are not taken.",
    );
  }
  if (typeof checked.name !== "string" || checked.name === "" || checked.name.includes(":")) {
    throw new TypeError('createBullInbox: name must be a text without colons, such as "webhooks".');
  }
  if (typeof checked.prefix !== "string") {
    throw new TypeError('createBullInbox: prefix must be a text, such as "{app}".');
  }
  if ("nodes" in checked.client && !/\{[^}]+\}/.test(keyPrefixOf(checked.client) + checked.prefix)) {
    throw new TypeError(
      'createBullInbox: prefix must have braces in a cluster, such as "{app}": its keys share a node.',
    );
  }
  checkTimeout("createBullInbox", checked.timeoutSeconds);
  checkClock("createBullInbox", checked.clock);
  demand(
    "keepSeconds",
    isWhole(checked.keepSeconds, minInboxKeepSeconds, maxKeepSeconds),
    `a whole number from ${minInboxKeepSeconds} to ${maxKeepSeconds} (a year): the service delivers again for 72.5 minutes`,
  );
  demand(
    "keepDeadLettersSeconds",
    isWhole(checked.keepDeadLettersSeconds, 1, maxKeepSeconds),
    `a whole number from 1 to ${maxKeepSeconds} (a year)`,
  );
  demand("takeOverSeconds", isNumber(checked.takeOverSeconds, 1, 300), "a number from 1 to 300");
  return checked;
}

function addDefaults({
  client,
  prefix = "{doorcode}",
  name = "webhooks",
  timeoutSeconds = 2,
  keepSeconds = minInboxKeepSeconds,
  keepDeadLettersSeconds = 1_209_600,
  takeOverSeconds = 15,
  clock = systemClock,
}: BullInboxOptions): Required<BullInboxOptions> {
  return { client, prefix, name, timeoutSeconds, keepSeconds, keepDeadLettersSeconds, takeOverSeconds, clock };
}

function isNumber(value: unknown, fewest: number, most: number): boolean {
  return typeof value === "number" && value >= fewest && value <= most;
}

function isWhole(value: unknown, fewest: number, most: number): boolean {
  return Number.isInteger(value) && isNumber(value, fewest, most);
}

function demand(option: string, holds: boolean, expected: string): void {
  if (!holds) throw new TypeError(`createBullInbox: ${option} must be ${expected}.`);
}
