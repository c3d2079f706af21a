import { type Clock, systemClock } from "@doorcode/core/clock";
import { z } from "zod";
import type { Changes } from "./changes.ts";
import { parse } from "./misuse.ts";
import { senderShape } from "./portal/account.ts";
import { type Configuration, parseConfiguration } from "./portal/configuration.ts";
import type { Account } from "./state/account.ts";
import { type ClockMode, clockModeShape } from "./time/pace.ts";

/** What the account holds as plain records. */
export type AccountRecords = Pick<Account, "company" | "ownerEmail" | "balance" | "pricing" | "invoices">;

/**
 * What `createSandbox` can be told. Everything is optional; what configures an application is for the default one and for
 * each that is added without saying otherwise.
 */
export interface SandboxOptions extends Omit<Configuration, "name"> {
  /** Port to listen on; 0 takes any free one, `none` listens on none: use `fetch`. Default 4010. */
  readonly port?: number | "none" | undefined;
  /** Interface to listen on. Default 127.0.0.1: nobody else reaches the sandbox. */
  readonly host?: string | undefined;
  /** Names that may stand in the Host header beside those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Lets webhooks leave this machine. Default false. */
  readonly allowRemoteWebhooks?: boolean | undefined;
  /** File that keeps everything. Default: memory only. */
  readonly data?: string | undefined;
  /** How the clocks of applications start, or the clock that is the machine's for them. Default `real`. */
  readonly clock?: ClockMode | Clock | undefined;
  /** Sender IDs registered on the account, beside `Doorcode`. */
  readonly senders?: readonly string[] | undefined;
  readonly account?: Changes<AccountRecords> | undefined;
}

/** {@link SandboxOptions} with every default filled in. */
export interface ParsedOptions {
  readonly port: number | "none";
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly allowRemoteWebhooks: boolean;
  readonly data: string | undefined;
  readonly machine: Clock;
  readonly mode: ClockMode;
  /** The mode was asked for: then it is for a clock that a data file holds too. */
  readonly isModeGiven: boolean;
  readonly senders: readonly string[];
  readonly account: Changes<AccountRecords>;
  readonly configuration: Configuration;
}

function hasMethod(value: unknown, name: "now" | "schedule"): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}

const machineShape = z.custom<Clock>((value) => hasMethod(value, "now") && hasMethod(value, "schedule"));
const price = z.strictObject({ product: z.string(), unit: z.string(), amount: z.string() });
const invoice = z.strictObject({ number: z.string(), issuedOn: z.iso.date(), amount: z.string() });

const shape = z.strictObject({
  port: z
    .union([z.int().min(0).max(65_535), z.literal("none")], "expected a number from 0 to 65535, or none")
    .default(4010),
  host: z.string().min(1).default("127.0.0.1"),
  allowedHosts: z.array(z.string().min(1)).default([]),
  allowRemoteWebhooks: z.boolean().default(false),
  data: z.string().min(1).optional(),
  clock: z
    .union([clockModeShape, machineShape], "expected real, frozen, { scale }, or a clock with now() and schedule()")
    .default("real"),
  senders: z.array(senderShape).default([]),
  account: z
    .strictObject({
      company: z.string(),
      ownerEmail: z.email(),
      balance: z.string(),
      pricing: z.array(price),
      invoices: z.array(invoice),
    })
    .partial()
    .default({}),
});

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the first option that is wrong and what was expected.
 */
export function parseOptions(options: SandboxOptions): ParsedOptions {
  const { templates, users, settings, dialect, behaviours, codes, ...own } = options;
  const given = { templates, users, settings, dialect, behaviours, codes };
  const configuration = parseConfiguration("createSandbox", given);
  const { clock, ...rest } = parse("createSandbox", shape, own);
  const isMachine = typeof clock === "object" && "now" in clock;
  return {
    ...rest,
    data: rest.data,
    machine: isMachine ? clock : systemClock,
    mode: isMachine ? "real" : clock,
    isModeGiven: options.clock !== undefined && !isMachine,
    configuration,
  };
}
