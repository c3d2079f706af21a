import { type Clock, minInboxKeepSeconds, systemClock } from "@doorcode/core/inbox";
import { clockRule, readOptions, secondsRule, wholeNumberRule, withDefault } from "@doorcode/core/store";
import type { Pool } from "pg";
import { nameRule, poolRule } from "../check-options.ts";
import { type CleaningOptions, cleaningRules } from "../table/cleaning.ts";
import { defaultInboxTable } from "../table/migration.ts";

/** Options of `createPostgresInbox`. */
export interface PostgresInboxOptions extends CleaningOptions {
  /**
   * Your pool of pg 8, but not the one whose connections handlers hold. The inbox takes a connection for one statement at
   * a time, and never ends the pool.
   */
  readonly pool: Pool;
  /** The schema of the table. Default: the one in which the connection's `search_path` finds it; a new table comes into the first one. */
  readonly schema?: string;
  /** The name of the table. Default: `doorcode_inbox`. */
  readonly table?: string;
  /** The minimum time for which a handled event stays known, from 7,200 to 31,536,000 (a year). Default: 7,200. */
  readonly keepSeconds?: number;
  /** The time for which dead letters are kept, from 1 to 31,536,000 (a year). Default: 1,209,600 (14 days). */
  readonly keepDeadLettersSeconds?: number;
  /** The time after its last sign of life when a worker counts as dead, from 10 to 300. Default: 15. */
  readonly takeOverSeconds?: number;
  /** The time after which a worker with nothing to do asks for events again, from 0.05 to 60. Default: 1. */
  readonly pollSeconds?: number;
  /** The clock of all waiting; entries use the clock of the database. Default: the machine's clock. */
  readonly clock?: Clock;
}

const yearSeconds = 31_536_000;

/** The options of an inbox, with their defaults. */
export interface CheckedInboxOptions extends Required<Omit<PostgresInboxOptions, "schema">> {
  readonly schema?: string | undefined;
}

const rules = {
  pool: poolRule,
  schema: withDefault(nameRule, undefined),
  table: withDefault(nameRule, defaultInboxTable),
  keepSeconds: withDefault(wholeNumberRule(minInboxKeepSeconds, yearSeconds), minInboxKeepSeconds),
  keepDeadLettersSeconds: withDefault(wholeNumberRule(1, yearSeconds), 1_209_600),
  takeOverSeconds: withDefault(wholeNumberRule(10, 300), 15),
  pollSeconds: withDefault(secondsRule(0.05, 60), 1),
  clock: withDefault(clockRule, systemClock),
  ...cleaningRules,
};

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError that names the option and what was expected.
 */
export function checkInboxOptions(options: PostgresInboxOptions): CheckedInboxOptions {
  return readOptions("createPostgresInbox", rules, options, "{ pool: new Pool() }");
}
