import { type Credentials, randomApiKey, randomSigningSecret } from "../credentials.ts";
import { newId } from "../new-id.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Service } from "../service/service.ts";
import { defaultSettings } from "../settings.ts";
import { accountId } from "../state/account.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { sound } from "../webhook/endpoint-health.ts";
import { defaultDialect } from "../wire/dialect.ts";
import { type Configuration, configured } from "./configuration.ts";

/** What nobody else has. */
export type Identity = Credentials & Pick<Application, "id">;

/**
 * Adds an application to the account.
 *
 * @param identity - random when left out. The signing secret is shown to whoever made it, and never again.
 * @see "Platform concepts" of the specification
 */
export function createApplication(
  { state, agenda }: Service,
  configurations: readonly Configuration[] = [],
  identity: Identity = { id: newId("app"), apiKey: randomApiKey(), signingSecret: randomSigningSecret() },
): Application {
  const bare: Application = {
    name: `Application ${state.applications.count(accountId) + 1}`,
    ...identity,
    previousSigningSecret: undefined,
    endpoints: [],
    users: [],
    templates: { login: "Your code is {{code}}" },
    settings: defaultSettings,
    dialect: defaultDialect,
    behaviours: {},
    codes: {},
  };
  const application = configurations.reduce(addedTo, bare);
  state.applications.put(application);
  agenda.of(application.id);
  return application;
}

/** Templates of a new application come beside those that it has. */
function addedTo(application: Application, configuration: Configuration): Application {
  const templates = { ...application.templates, ...configuration.templates };
  return configured(application, { ...configuration, templates });
}

/**
 * Finds an application.
 *
 * @throws SandboxError `application_unknown`
 */
export function findApplication({ state }: Service, id: string): Application {
  const application = state.applications.get(id);
  if (application) return application;
  throw new SandboxError("application_unknown", "No such application.");
}

/** Configures an application anew. @throws SandboxError `application_unknown` */
export function configureApplication(service: Service, id: string, configuration: Configuration): void {
  service.state.applications.put(configured(findApplication(service, id), configuration));
}

/**
 * Gives an application another API key: the old one opens nothing any more, those of others stay.
 *
 * @throws SandboxError `application_unknown`
 * @see "API requests" of the specification
 */
export function rotateApiKey(service: Service, id: string): string {
  const apiKey = randomApiKey();
  service.state.applications.put({ ...findApplication(service, id), apiKey });
  return apiKey;
}

/** Takes an application's API key away: it has none until the next rotation. @throws SandboxError `application_unknown` */
export function revokeApiKey(service: Service, id: string): void {
  service.state.applications.put({ ...findApplication(service, id), apiKey: undefined });
}

/**
 * Gives an application another signing secret, at once for all of its endpoints and every `callback_url`. What is returned
 * is shown once.
 *
 * @throws SandboxError `application_unknown`
 * @see "Webhook authenticity" of the specification
 */
export function regenerateSigningSecret(service: Service, id: string): string {
  const signingSecret = randomSigningSecret();
  const application = findApplication(service, id);
  const previousSigningSecret = application.signingSecret;
  service.state.applications.put({ ...application, signingSecret, previousSigningSecret });
  return signingSecret;
}

/**
 * Forgets what happened to an application, the failures of its endpoints too, and sets its clock to the machine's; its
 * configuration stays.
 *
 * @throws SandboxError `application_unknown`
 */
export function resetApplication(service: Service, id: string): void {
  const application = findApplication(service, id);
  const { state, agenda } = service;
  const endpoints = application.endpoints.map(sound);
  state.forget(id);
  state.applications.put({ ...application, endpoints });
  agenda.of(id).restart();
}

/**
 * Removes an application with everything that is its own.
 *
 * @throws SandboxError `application_unknown`; `application_stays` for the default one
 */
export function removeApplication(service: Service, id: string): void {
  if (id === defaultApplicationId) {
    throw new SandboxError("application_stays", "The default application stays: reset it instead.");
  }
  resetApplication(service, id);
  const { state, agenda } = service;
  agenda.drop(id);
  const account = state.accounts.get(accountId);
  if (account) {
    const numbers = account.numbers.filter(({ applicationId }) => applicationId !== id);
    state.accounts.put({ ...account, numbers });
  }
  state.applications.remove(id);
}
