import { z } from "zod";
import { type Changes, changed } from "../changes.ts";
import { parse } from "../misuse.ts";
import { type Behaviour, behaviours } from "../service/handset.ts";
import { type Settings, settingsShape } from "../settings.ts";
import type { Application, User } from "../state/application.ts";
import { type Dialect, dialectShape } from "../wire/dialect.ts";
import { phoneShape } from "../wire/phone.ts";

/** How an application is configured. What is left out stays as it is; records are replaced whole, options one by one. */
export interface Configuration {
  readonly name?: string | undefined;
  /** Text by name; `{{code}}` stands for the code, any other `{{word}}` is a variable. */
  readonly templates?: Readonly<Record<string, string>> | undefined;
  readonly users?: readonly User[] | undefined;
  readonly settings?: Changes<Settings> | undefined;
  readonly dialect?: Changes<Dialect> | undefined;
  /** Phone numbers (E.164) and countries (`DE`) that do not behave, beside the fixed ranges. */
  readonly behaviours?: Readonly<Record<string, Behaviour>> | undefined;
  /** The code that a phone number (E.164) gets each time. */
  readonly codes?: Readonly<Record<string, string>> | undefined;
}

const country = z.string().regex(/^[A-Z]{2}$/);
const behaving = z.union([phoneShape, country], "expected E.164 phone numbers, or countries such as DE");

/** The shape of a {@link Configuration}. */
export const configurationShape: z.ZodType<Configuration> = z.strictObject({
  name: z.string().trim().min(1).max(300).optional(),
  templates: z.record(z.string().min(1).max(80), z.string().min(1)).optional(),
  users: z.array(z.strictObject({ email: z.email(), role: z.literal(["admin", "developer", "viewer"]) })).optional(),
  settings: settingsShape.optional(),
  dialect: dialectShape.optional(),
  behaviours: z.record(behaving, z.enum(behaviours)).optional(),
  codes: z.record(phoneShape, z.string().regex(/^\d{4,10}$/, "expected 4 to 10 digits")).optional(),
});

/** An application configured anew. */
export function configured(application: Application, configuration: Configuration): Application {
  const { settings, dialect, ...rest } = configuration;
  return {
    ...changed<Application>(application, rest),
    settings: changed(application.settings, settings),
    dialect: changed(application.dialect, dialect),
  };
}

/**
 * Checks a configuration that a program gives.
 *
 * @param act - what the program called, for the error.
 * @throws Misuse naming what is wrong and what was expected
 */
export function parseConfiguration(act: string, configuration: unknown): Configuration {
  return parse(act, configurationShape, configuration);
}
