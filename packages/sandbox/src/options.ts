import { type Clock, parsePhoneNumber, systemClock } from "@doorcode/core";
import { z } from "zod";
import { type Behaviour, behaviours } from "./service/handset.ts";
import { type Settings, settingsShape } from "./settings.ts";

/** What `createSandbox` can be told. Everything is optional. */
export interface SandboxOptions {
  /** Port on 127.0.0.1; 0 takes any free one. Default 4010. */
  readonly port?: number;
  /** Drives delivery, fallback, expiry and retry delays. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Phone numbers (E.164) that do not behave, beside the fixed ranges. */
  readonly behaviours?: Readonly<Record<string, Behaviour>>;
  /** Registered sender IDs and rented numbers, beside `Doorcode`. */
  readonly senders?: readonly string[];
  /** Templates by name, beside `login`; `{{code}}` stands for the code. */
  readonly templates?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Settings>;
}

/** {@link SandboxOptions} with every default filled in. */
export interface ParsedOptions {
  readonly port: number;
  readonly clock: Clock;
  readonly behaviours: Readonly<Record<string, Behaviour>>;
  readonly senders: readonly string[];
  readonly templates: Readonly<Record<string, string>>;
  readonly settings: Settings;
}

const phone = z.string().refine((text) => parsePhoneNumber(text)?.e164 === text, "expected an E.164 phone number");
const clock = z.custom<Clock>(
  (value) => typeof value === "object" && value !== null && "now" in value && "schedule" in value,
  "expected a clock with now() and schedule()",
);

const shape = z.strictObject({
  port: z.int().min(0).max(65_535).default(4010),
  clock: clock.default(systemClock),
  behaviours: z.record(phone, z.enum(behaviours)).default({}),
  senders: z.array(z.string().min(1)).default([]),
  templates: z.record(z.string().min(1), z.string().min(1)).default({}),
  settings: settingsShape.prefault({}),
});

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError naming the first option that is wrong and what was expected.
 */
export function parseOptions(options: SandboxOptions): ParsedOptions {
  const parsed = shape.safeParse(options);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // A key of `behaviours` is a phone number, which belongs in no error.
  const path = issue?.path[0] === "behaviours" ? "behaviours" : issue?.path.join(".");
  throw new TypeError(`createSandbox: ${path || "options"}: ${issue?.message}`);
}
