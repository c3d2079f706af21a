import { defaultCredentials, envLines, envOf } from "../../credentials.ts";
import type { Application } from "../../state/application.ts";

/** The environment of an application, with its signing secret only where that is no secret: the fixed one. */
export function envShown(origin: string, application: Application): string {
  const isFixed = application.signingSecret === defaultCredentials.signingSecret;
  const signingSecret = isFixed ? application.signingSecret : "<shown once, when it was made>";
  return envLines(envOf(origin, { ...application, signingSecret }));
}

/** A command that sends a first code. */
export function firstCommand(origin: string, { apiKey = "<rotate the key first>", templates }: Application): string {
  const [name = "login"] = Object.keys(templates);
  const body = {
    recipient: "+4915112345678",
    template: { name, variables: {} },
    channels: [{ channel_name: "SMS", priority: 1 }],
  };
  return [
    `curl ${origin}/v1/verifications \\`,
    `  -H 'X-API-KEY: ${apiKey}' -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}
