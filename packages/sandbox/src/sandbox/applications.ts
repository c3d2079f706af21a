import { z } from "zod";
import { parse, SandboxError } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { accountOf, findApplication, type Service } from "../service/service.ts";
import { accountId } from "../state/account.ts";
import { type Application, behaviours, defaultApplicationId } from "../state/application.ts";
import { type Dialect, defaultDialect, dialectShape } from "../state/dialect.ts";
import { applyChanges, type Changes } from "../state/record.ts";
import { defaultSettings, type Settings, settingsShape } from "../state/settings.ts";
import { healthy } from "../webhook/endpoint-health.ts";
import type { Transport } from "../webhook/transport.ts";
import { type Credentials, randomCredentials } from "./credentials.ts";

/** Lists the applications, the default one first. */
export function listApplications({ state }: Pick<Service, "state">): readonly Application[] {
  return state.applications.list(accountId);
}

/** Creates an application with random credentials. @throws UsageError when the configuration is invalid */
export function createApplication(
  deps: Service & { readonly defaults: Configuration },
  configuration: unknown,
): Application {
  const parsed = parseConfiguration("createApplication", configuration);
  return addApplication(deps, [deps.defaults, parsed], randomCredentials());
}

/**
 * Adds an application to the account.
 *
 * @param configurations - applied in this order.
 * @see "Platform concepts" of the specification
 */
export function addApplication(
  { state, scheduler }: Service,
  configurations: readonly Configuration[],
  credentials: Credentials,
): Application {
  const unconfigured: Application = {
    name: `Application ${state.applications.count(accountId) + 1}`,
    ...credentials,
    previousSigningSecret: undefined,
    endpoints: [],
    users: [],
    templates: { login: "Your code is {{code}}" },
    settings: defaultSettings,
    dialect: defaultDialect,
    behaviours: {},
    codes: {},
  };
  const application = configurations.reduce(withMoreTemplates, unconfigured);
  state.applications.put(application);
  // Starts the clock of the application.
  scheduler.of(application.id);
  return application;
}

/** At a start, templates are added to those that an application has. */
function withMoreTemplates(application: Application, configuration: Configuration): Application {
  const templates = { ...application.templates, ...configuration.templates };
  return applyConfiguration(application, { ...configuration, templates });
}

/** Configures the default application of a data file with the options of the new start, which may have changed. */
export function reconfigureDefault(service: Service, configuration: Configuration): void {
  service.state.applications.put(withMoreTemplates(findApplication(service, defaultApplicationId), configuration));
}

/** Resets an application, as `SandboxApplication` describes. @throws SandboxError `application_unknown` */
export function resetApplication(service: Service, id: string): void {
  const application = findApplication(service, id);
  const { state, scheduler } = service;
  state.forget(id);
  state.applications.put({ ...application, endpoints: application.endpoints.map(healthy) });
  scheduler.of(id).restart();
}

/**
 * Removes an application and everything that belongs to it, including its rented numbers.
 *
 * @throws SandboxError `application_unknown`; `application_stays` for the default one
 */
export function removeApplication(deps: Service & { readonly transport: Transport }, id: string): void {
  if (id === defaultApplicationId) {
    throw new SandboxError("application_stays", "The default application cannot be removed. Reset it instead.");
  }
  resetApplication(deps, id);
  const { state, scheduler, transport } = deps;
  for (const { url } of findApplication(deps, id).endpoints) transport.unregister(url);
  scheduler.remove(id);
  const account = accountOf(deps);
  const numbers = account.numbers.filter(({ applicationId }) => applicationId !== id);
  state.accounts.put({ ...account, numbers });
  state.applications.remove(id);
}

/**
 * The configuration of an application. Members that are omitted do not change. `settings` and `dialect` are changed member
 * by member; every other member is replaced as a whole.
 */
export interface Configuration
  extends Changes<Pick<Application, "name" | "templates" | "users" | "behaviours" | "codes">> {
  /** Limits and delays. */
  readonly settings?: Changes<Settings> | undefined;
  /** The choices that the specification leaves open. */
  readonly dialect?: Changes<Dialect> | undefined;
}

const country = z.string().regex(/^[A-Z]{2}$/);
const phoneOrCountry = z.union([phoneShape, country], "expected E.164 phone numbers, or country codes such as DE");

const configurationShape: z.ZodType<Configuration> = z.strictObject({
  name: z.string().trim().min(1).max(300).optional(),
  templates: z.record(z.string().min(1).max(80), z.string().min(1)).optional(),
  users: z.array(z.strictObject({ email: z.email(), role: z.literal(["admin", "developer", "viewer"]) })).optional(),
  settings: settingsShape.optional(),
  dialect: dialectShape.optional(),
  behaviours: z.record(phoneOrCountry, z.enum(behaviours)).optional(),
  codes: z.record(phoneShape, z.string().regex(/^\d{4,10}$/, "expected 4 to 10 digits")).optional(),
});

/** Parses a configuration from a program, a request or a form. `caller` is the function that was called, for the error. */
export function parseConfiguration(caller: string, configuration: unknown): Configuration {
  return parse(caller, configurationShape, configuration);
}

function applyConfiguration(application: Application, configuration: Configuration): Application {
  const { settings, dialect, ...rest } = configuration;
  return {
    ...applyChanges<Application>(application, rest),
    settings: applyChanges(application.settings, settings),
    dialect: applyChanges(application.dialect, dialect),
  };
}

/** Configures an application. @throws UsageError when the configuration is invalid; SandboxError `application_unknown` */
export function configureApplication(service: Service, id: string, configuration: unknown): void {
  const parsed = parseConfiguration("configure", configuration);
  service.state.applications.put(applyConfiguration(findApplication(service, id), parsed));
}
