import { SandboxError } from "../primitives/sandbox-error.ts";
import { accountOf, findApplication, type Service } from "../service/service.ts";
import { accountId } from "../state/account.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { defaultDialect } from "../state/dialect.ts";
import { defaultSettings } from "../state/settings.ts";
import { healthy } from "../webhook/endpoint-health.ts";
import { applyConfiguration, type Configuration, parseConfiguration } from "./configuration.ts";
import { type Credentials, randomCredentials } from "./credentials.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

/** Lists the applications, the default one first. */
export function listApplications({ state }: Pick<Service, "state">): readonly Application[] {
  return state.applications.list(accountId);
}

/**
 * Parses a configuration and creates an application with it and with random credentials.
 *
 * @throws UsageError when the configuration is invalid
 */
export function createApplication(deps: SandboxDeps, configuration: unknown): Application {
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

/** For a new application, templates are added to those that it has. */
function withMoreTemplates(application: Application, configuration: Configuration): Application {
  const templates = { ...application.templates, ...configuration.templates };
  return applyConfiguration(application, { ...configuration, templates });
}

/**
 * Removes the history of an application, its scheduled tasks, its faults and the failures of its endpoints, and sets its
 * clock to the machine's time. Its configuration stays.
 *
 * @throws SandboxError `application_unknown`
 */
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
export function removeApplication(service: Service, id: string): void {
  if (id === defaultApplicationId) {
    throw new SandboxError("application_stays", "The default application cannot be removed. Reset it instead.");
  }
  resetApplication(service, id);
  const { state, scheduler } = service;
  scheduler.remove(id);
  const account = accountOf(service);
  const numbers = account.numbers.filter(({ applicationId }) => applicationId !== id);
  state.accounts.put({ ...account, numbers });
  state.applications.remove(id);
}
