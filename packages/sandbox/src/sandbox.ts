import { createAgenda } from "./agenda.ts";
import { openApplication, type SandboxApplication } from "./application.ts";
import { type Credentials, defaultCredentials, randomCredentials } from "./credentials.ts";
import { createApp } from "./http/app.ts";
import { listen } from "./http/listen.ts";
import { newId } from "./new-id.ts";
import { type ParsedOptions, parseOptions, type SandboxOptions } from "./options.ts";
import { createHandsets } from "./service/handset.ts";
import type { Application } from "./state/application.ts";
import { createState } from "./state/state.ts";
import { createPublisher } from "./webhook/publisher.ts";
import { createTransport } from "./webhook/transport.ts";

/** A running sandbox. Its own members are those of the default application, whose credentials are fixed. */
export interface Sandbox extends SandboxApplication {
  /** Where it listens: API below `/v1`, inbox page at `/`, control API below `/_sandbox`. */
  readonly url: string;
  /** Adds an application with random credentials, so that tests that run in parallel do not see each other. */
  createApplication(): SandboxApplication;
  /** Forgets messages, verifications and deliveries, and all that was to come; applications and endpoints stay. */
  reset(): void;
  /** Stops listening and delivering, and ends every wait. */
  close(): Promise<void>;
}

/**
 * Starts the service on this machine, on 127.0.0.1 only.
 *
 * @throws TypeError naming the option that is wrong; SandboxError `port_taken`
 * @example
 * import { createSandbox } from "@doorcode/sandbox";
 * const sandbox = await createSandbox({ port: 0 });
 * sandbox.deliverTo("http://localhost:3000/webhooks");
 * const { code } = await sandbox.inbox.wait({ to: "+4915112345678" });
 * await sandbox.close();
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const parsed = parseOptions(options);
  const { clock, settings } = parsed;
  const closing = new AbortController();
  const state = createState();
  const agenda = createAgenda(clock);
  const transport = createTransport(closing.signal);
  const publisher = createPublisher({ state, clock, agenda, settings, transport });
  const fateOf = createHandsets(parsed.behaviours);
  const service = { state, clock, agenda, settings, fateOf, publish: publisher.publish };

  const addApplication = (credentials: Credentials) => {
    const added = newApplication(parsed, credentials);
    state.applications.put(added);
    return added;
  };
  const first = addApplication(defaultCredentials);
  const application = () => state.applications.get(first.id) ?? first;
  const reset = () => {
    agenda.clear();
    state.forget();
  };
  const app = createApp({ service, application, reset, closed: closing.signal });
  const server = await listen(app.fetch, parsed.port);
  const parts = { url: server.url, state, publisher, transport, closed: closing.signal };

  return {
    ...openApplication(parts, first),
    url: server.url,
    createApplication: () => openApplication(parts, addApplication(randomCredentials())),
    reset,
    async close() {
      agenda.close();
      closing.abort();
      await server.close();
    },
  };
}

function newApplication({ senders, templates }: ParsedOptions, credentials: Credentials): Application {
  return {
    id: newId("app"),
    ...credentials,
    endpoints: [],
    senders: ["Doorcode", ...senders],
    templates: { login: "Your code is {{code}}", ...templates },
  };
}
