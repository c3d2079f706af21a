import { defaultCredentials, envLines, envOf } from "../../sandbox/credentials.ts";
import type { Application } from "../../state/application.ts";

/** Returns the lines of an `.env` file for an application. Only the constant signing secret is shown. */
export function environmentText(origin: string, application: Application): string {
  const isConstant = application.signingSecret === defaultCredentials.signingSecret;
  const signingSecret = isConstant ? application.signingSecret : "<shown once, when it was generated>";
  return envLines(envOf(origin, { ...application, signingSecret }));
}
