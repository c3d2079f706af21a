import { randomBytes } from "node:crypto";
import { randomSecret } from "../primitives/secrets.ts";
import { findApplication, type Service } from "../service/service.ts";
import { type Application, defaultApplicationId } from "../state/application.ts";
import { newId } from "../state/record.ts";

/** The environment variables of a program that uses an application. As a type alias it is assignable to `ProcessEnv`. */
export type SandboxEnv = {
  readonly SERVICE_URL: string;
  /** The application's API key; empty after a revocation. */
  readonly SERVICE_API_KEY: string;
  readonly WEBHOOK_SECRET: string;
  /** A password for the sessions of the app under test. */
  readonly SESSION_PASSWORD: string;
};

/** The id, the API key and the signing secret of an application. */
export type Credentials = Pick<Application, "id" | "apiKey" | "signingSecret">;

/**
 * The credentials of the default application of a sandbox without a token. They are constant, so that an `.env` file with
 * them can be committed. They only give access to a sandbox on the same machine.
 */
export const publishedCredentials: Credentials = {
  id: defaultApplicationId,
  apiKey: "sandbox-api-key",
  signingSecret: "sandbox-webhook-secret",
};

/** The session password that a sandbox without a token puts into the environment. It is constant as well. */
export const publishedSessionPassword = "sandbox-session-password-for-development-only";

/** Generates random credentials for a new application. */
export function randomCredentials(): Credentials {
  return { id: newId("app"), apiKey: randomApiKey(), signingSecret: randomSecret() };
}

/** Replaces the published credentials of a data file by random ones, for a sandbox that now has a token. */
export function replacePublishedCredentials(service: Service): void {
  const { id, apiKey, signingSecret } = publishedCredentials;
  const application = findApplication(service, id);
  if (application.apiKey === apiKey) rotateApiKey(service, id);
  if (application.signingSecret === signingSecret) regenerateSigningSecret(service, id);
}

/** Returns the environment of a program that uses the application. */
export function envOf(
  { sessionPassword }: { readonly sessionPassword: string },
  url: string,
  { apiKey = "", signingSecret }: Pick<Credentials, "apiKey" | "signingSecret">,
): SandboxEnv {
  return {
    SERVICE_URL: `${url}/v1`,
    SERVICE_API_KEY: apiKey,
    WEBHOOK_SECRET: signingSecret,
    SESSION_PASSWORD: sessionPassword,
  };
}

/** Formats the environment as the lines of an `.env` file. */
export function envLines(env: SandboxEnv): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}

/** Gives an application a new API key and returns it. Other applications keep theirs. @see "API requests" of the specification */
export function rotateApiKey(service: Service, id: string): string {
  const apiKey = randomApiKey();
  service.state.applications.put({ ...findApplication(service, id), apiKey });
  return apiKey;
}

/** Revokes the API key of an application. It has none until the next rotation. @throws SandboxError `application_unknown` */
export function revokeApiKey(service: Service, id: string): void {
  service.state.applications.put({ ...findApplication(service, id), apiKey: undefined });
}

/** Gives an application a new signing secret and returns it. @see "Webhook authenticity" of the specification */
export function regenerateSigningSecret(service: Service, id: string): string {
  const signingSecret = randomSecret();
  const application = findApplication(service, id);
  const previousSigningSecret = application.signingSecret;
  service.state.applications.put({ ...application, signingSecret, previousSigningSecret });
  return signingSecret;
}

function randomApiKey(): string {
  return randomBytes(18).toString("base64url");
}
