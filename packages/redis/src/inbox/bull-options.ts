import { pollingInboxOptions } from "@doorcode/core/inbox";
import { type Clock, clockOption, parseOptions, secondsOption, strictOptions } from "@doorcode/core/store";
import { z } from "zod";
import { keyPrefixOf, type RedisClient } from "../connection/client.ts";
import { clientOption, optionsExample, timeoutOption } from "../options.ts";

/** Options of `createBullInbox`. */
export interface BullInboxOptions {
  /** The app's client. The inbox makes its own connections from it, which `doorcode.close()` ends. */
  readonly client: RedisClient;
  /** Precedes the queue's keys, after the client's `keyPrefix`. A cluster needs the braces. Default: `{doorcode}`. */
  readonly prefix?: string;
  /** The name of the queue. Apps that share a Redis need different names or prefixes. Default: `webhooks`. */
  readonly name?: string;
  /** The time in which Redis must store an event; above 0 and below 4. Default: 2. */
  readonly timeoutSeconds?: number;
  /** The minimum time for which a handled event stays known; from 7,200 to 31,536,000 (a year). Default: 7,200. */
  readonly keepSeconds?: number;
  /**
   * The time for which dead letters are kept at least; from 1 to 31,536,000 (a year). After that, the next dead
   * letter removes them. Default: 1,209,600 (14 days).
   */
  readonly keepDeadLettersSeconds?: number;
  /** Events of a worker that died are handed out again after once to twice this time; from 1 to 300. Default: 15. */
  readonly takeOverSeconds?: number;
  /** Measures timeouts. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The checked options of an inbox, with defaults. */
export type CheckedInboxOptions = Required<BullInboxOptions>;

const nameExpected = 'expected a string without colons, such as "webhooks"';

const shape = strictOptions(
  {
    client: clientOption,
    prefix: z.string('expected a string such as "{app}"').default("{doorcode}"),
    name: z
      .string(nameExpected)
      .regex(/^[^:]+$/, nameExpected)
      .default("webhooks"),
    timeoutSeconds: timeoutOption,
    keepSeconds: pollingInboxOptions.keepSeconds,
    keepDeadLettersSeconds: pollingInboxOptions.keepDeadLettersSeconds,
    takeOverSeconds: secondsOption(1, 300).default(15),
    clock: clockOption,
  },
  optionsExample,
);

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError naming the option, what was expected and the fix.
 */
export function checkInboxOptions(options: BullInboxOptions): CheckedInboxOptions {
  const checked = parseOptions("createBullInbox", shape, options);
  if ("nodes" in checked.client && !/\{[^}]+\}/.test(keyPrefixOf(checked.client) + checked.prefix)) {
    throw new TypeError(
      'createBullInbox: prefix: expected braces in a cluster, such as "{app}": its keys share a node.',
    );
  }
  return checked;
}
