import { minInboxKeepSeconds } from "@doorcode/core/inbox";
import type { Clock } from "@doorcode/core/store";
import { z } from "zod";
import { keyPrefixOf, type RedisClient } from "../connection/client.ts";
import { clientOption, clockOption, optionsExample, secondsOption, timeoutOption } from "../options.ts";
import { readOptions } from "../read-options.ts";

/** Options of `createBullInbox`. */
export interface BullInboxOptions {
  /** The app's client. The inbox makes connections of its own from it, which `doorcode.close()` ends. */
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

const schema = z.strictObject({
  client: clientOption,
  prefix: z.string('expected a string such as "{app}"').default("{doorcode}"),
  name: z
    .string('expected a string without colons, such as "webhooks"')
    .regex(/^[^:]+$/, 'expected a string without colons, such as "webhooks"')
    .default("webhooks"),
  timeoutSeconds: timeoutOption,
  keepSeconds: upToYear(minInboxKeepSeconds).default(minInboxKeepSeconds),
  keepDeadLettersSeconds: upToYear(1).default(1_209_600),
  takeOverSeconds: secondsOption((seconds) => seconds >= 1 && seconds <= 300, "expected seconds from 1 to 300").default(
    15,
  ),
  clock: clockOption,
});

function upToYear(min: number): z.ZodNumber {
  const max = 31_536_000;
  const expected = `expected a whole number from ${min} to ${max}`;
  return z.int(expected).min(min, expected).max(max, expected);
}

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError naming the option, what was expected and the fix.
 */
export function checkInboxOptions(options: BullInboxOptions): CheckedInboxOptions {
  const checked = readOptions("createBullInbox", schema, options, optionsExample);
  if ("nodes" in checked.client && !/\{[^}]+\}/.test(keyPrefixOf(checked.client) + checked.prefix)) {
    throw new TypeError(
      'createBullInbox: prefix: expected braces in a cluster, such as "{app}": its keys share a node.',
    );
  }
  return checked;
}
