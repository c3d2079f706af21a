import { z } from "zod";
import { applyChanges, type Changes } from "../primitives/changes.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { parse } from "../primitives/usage-error.ts";
import { findApplication, type Service } from "../service/service.ts";
import type { Application, User } from "../state/application.ts";
import { type Behaviour, behaviours } from "../state/behaviour.ts";
import { type Dialect, dialectShape } from "../state/dialect.ts";
import { type Settings, settingsShape } from "../state/settings.ts";

/**
 * The configuration of an application. Members that are omitted do not change. `settings` and `dialect` are changed member
 * by member; every other member is replaced as a whole.
 */
export interface Configuration {
  /** The name that the portal shows. */
  readonly name?: string | undefined;
  /** Template text by template name. `{{code}}` is the code, and every other `{{word}}` is a variable. */
  readonly templates?: Readonly<Record<string, string>> | undefined;
  /** The people who may use the portal. It is a record only: it gives no access to the sandbox. */
  readonly users?: readonly User[] | undefined;
  /** Limits and delays. */
  readonly settings?: Changes<Settings> | undefined;
  /** The choices that the specification leaves open. */
  readonly dialect?: Changes<Dialect> | undefined;
  /** Misbehaviour by phone number (E.164) or country (`DE`), in addition to the fixed ranges. */
  readonly behaviours?: Readonly<Record<string, Behaviour>> | undefined;
  /** Fixed codes by phone number (E.164). */
  readonly codes?: Readonly<Record<string, string>> | undefined;
}

const country = z.string().regex(/^[A-Z]{2}$/);
const phoneOrCountry = z.union([phoneShape, country], "expected E.164 phone numbers, or country codes such as DE");

const shape: z.ZodType<Configuration> = z.strictObject({
  name: z.string().trim().min(1).max(300).optional(),
  templates: z.record(z.string().min(1).max(80), z.string().min(1)).optional(),
  users: z.array(z.strictObject({ email: z.email(), role: z.literal(["admin", "developer", "viewer"]) })).optional(),
  settings: settingsShape.optional(),
  dialect: dialectShape.optional(),
  behaviours: z.record(phoneOrCountry, z.enum(behaviours)).optional(),
  codes: z.record(phoneShape, z.string().regex(/^\d{4,10}$/, "expected 4 to 10 digits")).optional(),
});

/**
 * Parses a configuration from a program, a request or a form.
 *
 * @param caller - name of the function that was called, for the error.
 * @throws UsageError with the first invalid member and the expected value
 */
export function parseConfiguration(caller: string, configuration: unknown): Configuration {
  return parse(caller, shape, configuration);
}

/** Returns a copy of the application with the configuration applied. */
export function applyConfiguration(application: Application, configuration: Configuration): Application {
  const { settings, dialect, ...rest } = configuration;
  return {
    ...applyChanges<Application>(application, rest),
    settings: applyChanges(application.settings, settings),
    dialect: applyChanges(application.dialect, dialect),
  };
}

/**
 * Parses a configuration and applies it to an application.
 *
 * @throws UsageError when it is invalid; SandboxError `application_unknown`
 */
export function configureApplication(service: Service, id: string, configuration: unknown): void {
  const parsed = parseConfiguration("configure", configuration);
  service.state.applications.put(applyConfiguration(findApplication(service, id), parsed));
}
