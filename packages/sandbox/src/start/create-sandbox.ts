import { listen } from "../http/listen.ts";
import { refusalResponse } from "../http/refuse.ts";
import { Refusal } from "../primitives/errors.ts";
import { createAccount, type SandboxAccount } from "../sandbox/account.ts";
import { type Configuration, createApplication, listApplications } from "../sandbox/applications.ts";
import { openApplication, type SandboxApplication } from "../sandbox/sandbox-application.ts";
import { defaultApplicationId } from "../state/application.ts";
import { createHttpApp } from "./http-app.ts";
import { parseOptions, type SandboxOptions } from "./options.ts";
import { startService } from "./start-service.ts";

/** A running sandbox. It is also its default application, whose credentials are constant unless it has a token. */
export interface Sandbox extends SandboxApplication {
  /** The URL of the sandbox: the API is below `/v1`, the page at `/`, the control API below `/_sandbox`. */
  readonly url: string;
  /** The account that all applications share. */
  readonly account: SandboxAccount;
  /** Answers a request in this process, without a port. `@doorcode/sandbox/undici` makes a dispatcher of it. */
  fetch(request: Request): Promise<Response>;
  /**
   * Creates an application with random credentials. Tests that run in parallel use one each, so that they do not see each
   * other. It starts with the configuration that `createSandbox` was given.
   *
   * @throws TypeError when the configuration is invalid
   */
  createApplication(configuration?: Configuration): SandboxApplication;
  /** Lists all applications, the default one first. */
  applications(): readonly SandboxApplication[];
  /** Stops listening and delivering, and ends every wait. */
  close(): Promise<void>;
}

/** The URL of a sandbox that does not listen. */
const urlWithoutPort = "http://sandbox.localhost";

/**
 * Starts the service on this machine. By default it listens on 127.0.0.1 only; on any other interface it needs a `token`.
 *
 * @throws TypeError with the first invalid option; SandboxError `port_taken`, `host_unusable`, `data_file_unusable`,
 * `data_file_taken`
 * @example
 * import { createSandbox } from "@doorcode/sandbox";
 * const sandbox = await createSandbox({ port: 0 });
 * sandbox.deliverTo("http://localhost:3000/webhooks");
 * const { code } = await sandbox.inbox.wait({ to: "+4915112345678" });
 * await sandbox.close();
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const parsed = parseOptions(options);
  const { port, host } = parsed;
  const { deps, stop } = await startService(parsed);
  const app = createHttpApp(deps, parsed);
  const refusal = new Refusal("sandbox.closed", "The sandbox is closed.");
  const fetch = async (request: Request) => (deps.closed.aborted ? refusalResponse(refusal) : app.fetch(request));
  const listening = port === "none" ? undefined : listen(fetch, port, host);
  // A sandbox that cannot listen must not leave a running service behind.
  listening?.catch(stop);
  const server = await listening;
  const url = server?.url ?? urlWithoutPort;
  const open = (id: string) => openApplication(deps, url, id);

  return Object.assign(open(defaultApplicationId), {
    url,
    account: createAccount(deps),
    fetch,
    createApplication: (configuration: Configuration = {}) => open(createApplication(deps, configuration).id),
    applications: () => listApplications(deps).map(({ id }) => open(id)),
    async close() {
      stop();
      await server?.close();
    },
  });
}
