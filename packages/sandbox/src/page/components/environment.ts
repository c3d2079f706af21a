import { envLines, envOf, publishedCredentials } from "../../sandbox/credentials.ts";
import type { SandboxDeps } from "../../sandbox/sandbox-deps.ts";
import type { Application } from "../../state/application.ts";

/** Returns the lines of an `.env` file for an application. Only the published signing secret is shown. */
export function environmentText(deps: SandboxDeps, origin: string, application: Application): string {
  const isPublished = application.signingSecret === publishedCredentials.signingSecret;
  const signingSecret = isPublished ? application.signingSecret : "<shown once, when it was generated>";
  return envLines(envOf(deps, origin, { ...application, signingSecret }));
}
