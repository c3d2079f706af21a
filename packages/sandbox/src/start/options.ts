import { type Clock, systemClock } from "@doorcode/core/store";
import { z } from "zod";
import { parse, UsageError } from "../primitives/errors.ts";
import { isLoopbackInterface } from "../primitives/loopback.ts";
import { senderShape } from "../sandbox/account.ts";
import { type Configuration, parseConfiguration } from "../sandbox/applications.ts";
import { defaultMaxMessages } from "../state/state.ts";
import { type ClockMode, clockModeShape } from "../time/clock.ts";

/**
 * The options of `createSandbox`. All are optional. The members of `Configuration` apply to the default application, and
 * to each application that is created later without its own configuration.
 */
export interface SandboxOptions extends Omit<Configuration, "name"> {
  /** The port to listen on; 0 for any free one, `none` to use only `fetch`. Default 4010. */
  readonly port?: number | "none" | undefined;
  /**
   * The network interface to listen on. Default 127.0.0.1, which only this machine can reach. Any other interface needs a
   * `token`.
   */
  readonly host?: string | undefined;
  /**
   * The secret that the page and the control API require, of at least 16 visible ASCII characters. With it, the default
   * application has random credentials in place of the published ones. Default: none is required.
   */
  readonly token?: string | undefined;
  /** Names that the Host header may have in addition to those of this machine. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Allows webhooks to other machines. Default false. */
  readonly allowRemoteWebhooks?: boolean | undefined;
  /**
   * The file that keeps all records. At each start the default application gets the members of `Configuration` that are given, and the account
   * the `senders`; everything else is as the file has it. Default: records are only in memory.
   */
  readonly data?: string | undefined;
  /**
   * The number of messages, and of verifications, that each application holds. It holds four times as many webhook deliveries.
   * The oldest are dropped when nothing is scheduled for them. Default 10,000.
   */
  readonly maxMessages?: number | undefined;
  /** The mode in which the clocks of applications start, or a clock that replaces the machine's. Default `real`. */
  readonly clock?: ClockMode | Clock | undefined;
  /** Sender IDs to register on the account in addition to `Doorcode`. */
  readonly senders?: readonly string[] | undefined;
}

type Defaulted = Omit<SandboxOptions, keyof Configuration | "clock" | "token" | "data">;

/** The {@link SandboxOptions} with their defaults. Without a `token` none is required, and without `data` the records are in memory. */
export type ParsedOptions = { readonly [Name in keyof Defaulted]-?: NonNullable<Defaulted[Name]> } & Pick<
  SandboxOptions,
  "token" | "data"
> & {
    /** The machine's clock, or its replacement. */
    readonly machine: Clock;
    /** The mode in which the clocks of applications start. */
    readonly mode: ClockMode;
    /** True when the caller set the mode. It then also applies to the clocks in a data file. */
    readonly isModeGiven: boolean;
    /** The configuration of every new application. */
    readonly configuration: Configuration;
  };

/** The valid tokens, in words. */
export const tokenExpectation = "a secret of at least 16 letters, digits or signs, without spaces";

/** Tells whether a text can be the token of a sandbox. A header must be able to carry it, so it is visible ASCII. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{16,}$/.test(text);
}

function hasMethod(value: unknown, name: "now" | "schedule"): boolean {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
}

const machineShape = z.custom<Clock>((value) => hasMethod(value, "now") && hasMethod(value, "schedule"));

const shape = z.strictObject({
  port: z
    .union([z.int().min(0).max(65_535), z.literal("none")], "expected a number from 0 to 65535, or none")
    .default(4010),
  host: z.string().min(1).default("127.0.0.1"),
  token: z.string().refine(isToken, `expected ${tokenExpectation}`).optional(),
  allowedHosts: z.array(z.string().min(1)).default([]),
  allowRemoteWebhooks: z.boolean().default(false),
  data: z.string().min(1).optional(),
  maxMessages: z.int().min(1).default(defaultMaxMessages),
  clock: z
    .union([clockModeShape, machineShape], "expected real, frozen, { scale }, or a clock with now() and schedule()")
    .default("real"),
  senders: z.array(senderShape).default([]),
});

/**
 * Parses the options and adds the defaults.
 *
 * @throws TypeError with the first invalid option and the expected value
 */
export function parseOptions(options: SandboxOptions): ParsedOptions {
  const { templates, users, settings, dialect, behaviours, codes, ...own } = options;
  const given = { templates, users, settings, dialect, behaviours, codes };
  const configuration = parseConfiguration("createSandbox", given);
  const { clock, ...rest } = parse("createSandbox", shape, own);
  if (rest.port !== "none" && rest.token === undefined && !isLoopbackInterface(rest.host)) {
    const reason = "because other machines can reach the host. Set token, or leave host out";
    throw new UsageError("createSandbox", "token", `expected ${tokenExpectation}, ${reason}`);
  }
  const isMachine = typeof clock === "object" && "now" in clock;
  return {
    ...rest,
    machine: isMachine ? clock : systemClock,
    mode: isMachine ? "real" : clock,
    isModeGiven: options.clock !== undefined && !isMachine,
    configuration,
  };
}
