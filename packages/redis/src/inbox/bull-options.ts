import { type Clock, minInboxKeepSeconds, systemClock } from "@doorcode/core/inbox";
import { clockRule, optionRule, readOptions, secondsRule, wholeNumberRule, withDefault } from "@doorcode/core/store";
import { keyPrefixOf, type RedisClient } from "../connection/client.ts";
import { clientRule, optionsExample, timeoutRule } from "../options.ts";

/** Options of `createBullInbox`. */
export interface BullInboxOptions {
  /** The app's client. The inbox makes connections of its own from it, which end when the client ends. */
  readonly client: RedisClient;
  /** Precedes every key of the queue, after the client's `keyPrefix`. A cluster needs the braces. Default: `{doorcode}`. */
  readonly prefix?: string;
  /** The name of the queue. Apps that share a Redis need different names or prefixes. Default: `webhooks`. */
  readonly name?: string;
  /** The time in which Redis must store an event; above 0 and below 4. Default: 2. */
  readonly timeoutSeconds?: number;
  /** The minimum time for which a handled event stays known; from 7,200 to 31,536,000 (a year). Default: 7,200. */
  readonly keepSeconds?: number;
  /**
   * The time for which dead letters are kept at least; from 1 to 31,536,000 (a year). After that, the next dead letter removes
   * them. Default: 1,209,600 (14 days).
   */
  readonly keepDeadLettersSeconds?: number;
  /** The events of a worker that died are handed out again after this time to twice this time; from 1 to 300. Default: 15. */
  readonly takeOverSeconds?: number;
  /** Measures timeouts. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The checked options of an inbox, with defaults. */
export type CheckedInboxOptions = Required<BullInboxOptions>;

const yearSeconds = 31_536_000;

const prefixRule = optionRule(
  (value): value is string => typeof value === "string",
  'expected a string such as "{app}"',
);
const nameRule = optionRule(
  (value): value is string => typeof value === "string" && /^[^:]+$/.test(value),
  'expected a string without colons, such as "webhooks"',
);

const rules = {
  client: clientRule,
  prefix: withDefault(prefixRule, "{doorcode}"),
  name: withDefault(nameRule, "webhooks"),
  timeoutSeconds: timeoutRule,
  keepSeconds: withDefault(wholeNumberRule(minInboxKeepSeconds, yearSeconds), minInboxKeepSeconds),
  keepDeadLettersSeconds: withDefault(wholeNumberRule(1, yearSeconds), 1_209_600),
  takeOverSeconds: withDefault(secondsRule(1, 300), 15),
  clock: withDefault(clockRule, systemClock),
};

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError naming the option, the expectation and the fix.
 */
export function checkInboxOptions(options: BullInboxOptions): CheckedInboxOptions {
  const checked = readOptions("createBullInbox", rules, options, optionsExample);
  if ("nodes" in checked.client && !/\{[^}]+\}/.test(keyPrefixOf(checked.client) + checked.prefix)) {
    throw new TypeError(
      'createBullInbox: prefix: expected braces in a cluster, such as "{app}": its keys share a node.',
    );
  }
  return checked;
}
