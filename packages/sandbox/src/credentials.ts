import { randomBytes } from "node:crypto";
import type { Application } from "./state/application.ts";

/** What an application under test reads from its environment to talk to the sandbox. A type, so that it is a `ProcessEnv`. */
export type SandboxEnv = {
  readonly SERVICE_URL: string;
  readonly SERVICE_API_KEY: string;
  readonly WEBHOOK_SECRET: string;
  readonly SESSION_PASSWORD: string;
};

/** The key and the signing secret of an application. */
export type Credentials = Pick<Application, "apiKey" | "signingSecret">;

/** Fixed, so that an `.env` with them can be committed. They open nothing but a sandbox on the same machine. */
export const defaultCredentials: Credentials = {
  apiKey: "sandbox-api-key",
  signingSecret: "sandbox-webhook-secret",
};

const sessionPassword = "sandbox-session-password-for-development-only";

/** Makes an API key. */
export function randomApiKey(): string {
  return randomBytes(18).toString("base64url");
}

/** Makes a signing secret. */
export function randomSigningSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The environment of a program that uses the application. A key that was revoked is empty. */
export function envOf(url: string, { apiKey = "", signingSecret }: Credentials): SandboxEnv {
  return {
    SERVICE_URL: `${url}/v1`,
    SERVICE_API_KEY: apiKey,
    WEBHOOK_SECRET: signingSecret,
    SESSION_PASSWORD: sessionPassword,
  };
}

/** The environment as lines of an `.env` file. */
export function envLines(env: SandboxEnv): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
}
