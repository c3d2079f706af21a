import { type Clock, systemClock } from "@doorcode/core/clock";
import { minInboxKeepSeconds } from "@doorcode/core/inbox";
import type { Pool } from "pg";
import { checkKeys, checkPool } from "../check-options.ts";

/** Options of `createBossInbox`. */
export interface BossInboxOptions {
  /**
   * Your pool of pg 8, and not the one whose connections handlers hold. The inbox takes a connection for one statement or
   * one short transaction at a time, and never ends the pool.
   */
  readonly pool: Pool;
  /** The schema of pg-boss; `pgboss` when left out. */
  readonly schema?: string;
  /** The name of the queue; `doorcode-webhooks` when left out. Its dead letters are in a queue of that name and `-dead`. */
  readonly name?: string;
  /** Makes or updates the schema of pg-boss at the first use; true when left out. The role then needs to create tables. */
  readonly migrate?: boolean;
  /** How long an event that was handled stays known, at least; from 7,200 to 31,536,000 (a year), 7,200 when left out. */
  readonly keepSeconds?: number;
  /** How long dead letters are kept; from 1 to 31,536,000, 1,209,600 (14 days) when left out. */
  readonly keepDeadLettersSeconds?: number;
  /** A worker that died is noticed after once to twice that long; from 10 to 300, 15 when left out. */
  readonly takeOverSeconds?: number;
  /** How often a worker with nothing to do asks for events; from 0.05 to 60, 1 when left out. */
  readonly pollSeconds?: number;
  /** Hears of maintenance that failed; it is tried again. A process warning when left out. */
  readonly onError?: (error: unknown) => void;
  /** Times the waiting. The machine's clock when left out. */
  readonly clock?: Clock;
}

const known: readonly (keyof BossInboxOptions)[] = [
  "pool",
  "schema",
  "name",
  "migrate",
  "keepSeconds",
  "keepDeadLettersSeconds",
  "takeOverSeconds",
  "pollSeconds",
  "onError",
  "clock",
];

/** A year. PostgreSQL counts these seconds in 32 bits. */
const maxKeepSeconds = 31_536_000;

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError that names the option, what was expected and the fix.
 */
export function checkInboxOptions(options: BossInboxOptions): Required<BossInboxOptions> {
  checkKeys("createBossInbox", options, known);
  const {
    pool,
    schema = "pgboss",
    name = "doorcode-webhooks",
    migrate = true,
    keepSeconds = minInboxKeepSeconds,
    keepDeadLettersSeconds = 1_209_600,
    takeOverSeconds = 15,
    pollSeconds = 1,
    onError = warn,
    clock = systemClock,
  } = options;
  checkPool("createBossInbox", pool);
  if (!isText(schema) || !/^[A-Za-z_][A-Za-z0-9_]{0,49}$/.test(schema)) {
    throw new TypeError('createBossInbox: schema must be a plain name of up to 50 characters, such as "pgboss".');
  }
  if (!isText(name) || !/^[\w.-]{1,50}$/.test(name)) {
    throw new TypeError('createBossInbox: name must be up to 50 letters, digits, ".", "_" and "-".');
  }
  demand("migrate", typeof migrate === "boolean", "true or false");
  demand("onError", typeof onError === "function", "a function");
  const { now, schedule }: Partial<Clock> = clock ?? {};
  demand("clock", typeof now === "function" && typeof schedule === "function", "a Clock, with now and schedule");
  const isWhole = [keepSeconds, keepDeadLettersSeconds, takeOverSeconds].every(Number.isSafeInteger);
  demand("keepSeconds, keepDeadLettersSeconds and takeOverSeconds", isWhole, "whole numbers");
  demand(
    "keepSeconds",
    keepSeconds >= minInboxKeepSeconds && keepSeconds <= maxKeepSeconds,
    `from ${minInboxKeepSeconds} to ${maxKeepSeconds}: the service delivers again for 72.5 minutes`,
  );
  const isKept = keepDeadLettersSeconds >= 1 && keepDeadLettersSeconds <= maxKeepSeconds;
  demand("keepDeadLettersSeconds", isKept, `from 1 to ${maxKeepSeconds}`);
  demand("takeOverSeconds", takeOverSeconds >= 10 && takeOverSeconds <= 300, "from 10 to 300");
  demand("pollSeconds", pollSeconds >= 0.05 && pollSeconds <= 60, "from 0.05 to 60");
  return {
    pool,
    schema,
    name,
    migrate,
    keepSeconds,
    keepDeadLettersSeconds,
    takeOverSeconds,
    pollSeconds,
    onError,
    clock,
  };
}

function demand(option: string, holds: boolean, expected: string): void {
  if (!holds) throw new TypeError(`createBossInbox: ${option} must be ${expected}.`);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not look after its inbox: ${error}`, "DoorcodeWarning");
}
