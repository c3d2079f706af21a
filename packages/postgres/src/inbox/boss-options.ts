import { type Clock, fewestInboxKeepSeconds, systemClock } from "@doorcode/core";
import type { Pool } from "pg";

/** Options of `createBossInbox`. */
export interface BossInboxOptions {
  /** Your pool of pg 8. The inbox takes a connection for one statement or one short transaction at a time, and never ends the pool. */
  readonly pool: Pool;
  /** The schema of pg-boss; `pgboss` when left out. */
  readonly schema?: string;
  /** The name of the queue; `doorcode-webhooks` when left out. Its dead letters are in a queue of that name and `-dead`. */
  readonly name?: string;
  /** Makes or updates the schema of pg-boss at the first use; true when left out. The role then needs to create tables. */
  readonly migrate?: boolean;
  /** How long an event that was handled stays known, at least; 7,200 or more, 7,200 when left out. */
  readonly keepSeconds?: number;
  /** How long dead letters are kept; 1,209,600 (14 days) when left out. */
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

/**
 * Checks the options and adds the defaults.
 *
 * @throws TypeError that names the option, what was expected and the fix.
 */
export function checkInboxOptions(options: BossInboxOptions): Required<BossInboxOptions> {
  const checked = {
    schema: "pgboss",
    name: "doorcode-webhooks",
    migrate: true,
    keepSeconds: fewestInboxKeepSeconds,
    keepDeadLettersSeconds: 1_209_600,
    takeOverSeconds: 15,
    pollSeconds: 1,
    onError: warn,
    clock: systemClock,
    ...options,
  };
  if (typeof checked.pool?.connect !== "function") {
    throw new TypeError("createBossInbox: pool is missing: pass a `new Pool({ … })` of pg.");
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,49}$/.test(checked.schema)) {
    throw new TypeError('createBossInbox: schema must be a plain name of up to 50 characters, such as "pgboss".');
  }
  if (!/^[\w.-]{1,50}$/.test(checked.name)) {
    throw new TypeError('createBossInbox: name must be up to 50 letters, digits, ".", "_" and "-".');
  }
  const { keepSeconds, keepDeadLettersSeconds, takeOverSeconds, pollSeconds } = checked;
  const isWhole = [keepSeconds, keepDeadLettersSeconds, takeOverSeconds].every(Number.isSafeInteger);
  expectNumber("keepSeconds, keepDeadLettersSeconds and takeOverSeconds", isWhole, "whole numbers");
  expectNumber(
    "keepSeconds",
    keepSeconds >= fewestInboxKeepSeconds,
    `${fewestInboxKeepSeconds} or more: the service delivers again for 72.5 minutes`,
  );
  expectNumber("keepDeadLettersSeconds", keepDeadLettersSeconds >= 1, "1 or more");
  expectNumber("takeOverSeconds", takeOverSeconds >= 10 && takeOverSeconds <= 300, "from 10 to 300");
  expectNumber("pollSeconds", pollSeconds >= 0.05 && pollSeconds <= 60, "from 0.05 to 60");
  return checked;
}

function expectNumber(option: string, holds: boolean, expected: string): void {
  if (!holds) throw new TypeError(`createBossInbox: ${option} must be ${expected}.`);
}

function warn(error: unknown): void {
  process.emitWarning(`@doorcode/postgres could not look after its inbox: ${error}`, "DoorcodeWarning");
}
