import { createAccount, type SandboxAccount } from "./controls/account.ts";
import { openApplication, type SandboxApplication } from "./controls/application.ts";
import { createApp } from "./http/app.ts";
import { hostnameOf, listen } from "./http/listen.ts";
import { parseOptions, type SandboxOptions } from "./options.ts";
import { createApplication } from "./portal/applications.ts";
import { type Configuration, parseConfiguration } from "./portal/configuration.ts";
import { Refusal } from "./refusal.ts";
import { startService } from "./start-service.ts";
import { accountId } from "./state/account.ts";
import { defaultApplicationId } from "./state/application.ts";
import { refusalRecord } from "./wire/refusals.ts";

/** A running sandbox. Its own members are those of the default application, whose credentials are fixed. */
export interface Sandbox extends SandboxApplication {
  /** Where it listens: API below `/v1`, inbox page at `/`, control API below `/_sandbox`. */
  readonly url: string;
  readonly account: SandboxAccount;
  /** Answers a request in this process, with no port between. `@doorcode/sandbox/undici` makes a dispatcher of it. */
  fetch(request: Request): Promise<Response>;
  /**
   * Adds an application with random credentials, so that tests that run in parallel do not see each other. It is
   * configured as the default one was at the start, but for what is said here.
   *
   * @throws TypeError naming what is wrong with its configuration
   */
  createApplication(configuration?: Configuration): SandboxApplication;
  /** Every application, the default one first. */
  applications(): readonly SandboxApplication[];
  /** Stops listening and delivering, and ends every wait. */
  close(): Promise<void>;
}

/** Where a sandbox without a port pretends to be. */
const urlWithoutPort = "http://sandbox.localhost";

/**
 * Starts the service on this machine, on 127.0.0.1 only unless it is told otherwise.
 *
 * @throws TypeError naming the option that is wrong; SandboxError `port_taken`, `host_unusable`,
 * `data_file_unusable`, `data_file_taken`
 * @example
 * import { createSandbox } from "@doorcode/sandbox";
 * const sandbox = await createSandbox({ port: 0 });
 * sandbox.deliverTo("http://localhost:3000/webhooks");
 * const { code } = await sandbox.inbox.wait({ to: "+4915112345678" });
 * await sandbox.close();
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const parsed = parseOptions(options);
  const { allowedHosts, allowRemoteWebhooks, configuration } = parsed;
  const { stop, ...running } = await startService(parsed);
  const { service, closed } = running;

  // Known once the server listens, and asked for only by what it then answers.
  let url = urlWithoutPort;
  const open = (id: string) => openApplication({ ...running, allowRemoteWebhooks, url: () => url }, id);
  const create = (given: Configuration) => createApplication(service, [configuration, given]).id;
  const account = createAccount(service);
  const app = createApp({
    service,
    account,
    open,
    create,
    allowedHosts: [hostnameOf(parsed.host), ...allowedHosts],
    closed,
  });
  const fetch = async (request: Request) => (closed.aborted ? gone() : app.fetch(request));
  const server = parsed.port === "none" ? undefined : await listen(fetch, parsed.port, parsed.host).catch(failed(stop));
  if (server) url = server.url;

  return Object.assign(open(defaultApplicationId), {
    url,
    account,
    fetch,
    createApplication: (given: Configuration = {}) => open(create(parseConfiguration("createApplication", given))),
    applications: () => service.state.applications.list(accountId).map(({ id }) => open(id)),
    async close() {
      stop();
      await server?.close();
    },
  });
}

/** What is asked of a sandbox that was closed. */
function gone(): Response {
  const refusal = new Refusal("sandbox.closed", "The sandbox was closed.");
  return Response.json(refusalRecord(refusal), { status: refusal.status });
}

/** What could not begin leaves nothing running. */
function failed(stop: () => void): (error: unknown) => never {
  return (error) => {
    stop();
    throw error;
  };
}
