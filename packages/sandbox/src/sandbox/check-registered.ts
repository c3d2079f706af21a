import { checkEndpoint, type Finding } from "@doorcode/cli/endpoint-check";
import { isLoopbackUrl } from "../primitives/loopback.ts";
import { UsageError } from "../primitives/usage-error.ts";
import { publishedCredentials } from "./credentials.ts";
import { findEndpoint } from "./find-endpoint.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";

/** Tells whether an endpoint can be checked: a handler in this process has no connection that could be wrong. */
export function isCheckable(url: string, allowRemote: boolean): boolean {
  return /^https?:/.test(url) && (allowRemote || isLoopbackUrl(url));
}

/**
 * Checks a registered endpoint by signed test deliveries, three at most. They are no deliveries of events: they are not recorded, and
 * run no handler of the kit.
 *
 * @throws SandboxError `endpoint_unknown`; UsageError for an endpoint that cannot be checked
 */
export async function checkRegistered(
  deps: SandboxDeps,
  applicationId: string,
  id: string,
): Promise<readonly Finding[]> {
  const { application, endpoint } = findEndpoint(deps, applicationId, id);
  const { url } = endpoint;
  const { signingSecret: secret, settings } = application;
  // checkEndpoint sends nothing that is signed with the published secret to other machines.
  const allowRemote = deps.allowRemoteWebhooks && secret !== publishedCredentials.signingSecret;
  if (!isCheckable(url, allowRemote)) {
    const machines = "and at another machine only with a secret that is not published: start the sandbox with a token.";
    throw new UsageError(
      "endpoints",
      "url",
      `Only an endpoint at a URL that the sandbox may call can be checked, ${machines}`,
    );
  }
  return checkEndpoint({ url, secret, timeoutMilliseconds: settings.webhookTimeoutMilliseconds });
}
