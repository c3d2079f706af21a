import { randomSecret } from "../primitives/secrets.ts";
import { addApplication, listApplications, reconfigureDefault } from "../sandbox/applications.ts";
import {
  publishedCredentials,
  publishedSessionPassword,
  randomCredentials,
  replacePublishedCredentials,
} from "../sandbox/credentials.ts";
import type { SandboxDeps } from "../sandbox/sandbox-deps.ts";
import { runTask } from "../service/message-status.ts";
import { accountOf, type Service } from "../service/service.ts";
import { accountId } from "../state/account.ts";
import { defaultApplicationId } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";
import { createState } from "../state/state.ts";
import { createScheduler } from "../time/scheduler.ts";
import { isScheduled } from "../webhook/endpoint-health.ts";
import { createPublisher, type Publisher } from "../webhook/publisher.ts";
import { createTransport } from "../webhook/transport.ts";
import type { ParsedOptions } from "./options.ts";

interface RunningService {
  readonly deps: SandboxDeps;
  stop(): void;
}

/**
 * Starts the service with the records of its data file, or with an account and its default application.
 *
 * @throws SandboxError `data_file_unusable`, `data_file_taken`
 */
export async function startService(options: ParsedOptions): Promise<RunningService> {
  const closing = new AbortController();
  const { allowRemoteWebhooks, configuration: defaults, machine, maxMessages, mode, token } = options;
  const sessionPassword = token === undefined ? publishedSessionPassword : randomSecret();
  // Loads the SQLite code only for a sandbox with a data file.
  const dataFile =
    options.data === undefined ? undefined : (await import("../state/data-file.ts")).openDataFile(options.data);
  const state = createState({ maxMessages, ...(dataFile && { journalOf: dataFile.journalOf }) });
  dataFile?.load(state);
  const transport = createTransport({ closed: closing.signal, allowRemote: allowRemoteWebhooks });

  // The scheduler, the publisher and the service call one another, but only after all three were created.
  const scheduler = createScheduler({
    state,
    machine,
    mode,
    runTask: (task) => runTask(service, task, (deliveryId) => void publisher.attempt(deliveryId, "schedule")),
    settled: (applicationId) => publisher.settled(applicationId),
  });
  const publisher = createPublisher({ state, scheduler, transport });
  const service: Service = { state, scheduler, publish: publisher.publish };

  if (!state.accounts.get(accountId)) putAccount(service, options);
  else resume(service, publisher, options);
  return {
    deps: { ...service, publisher, transport, allowRemoteWebhooks, sessionPassword, defaults, closed: closing.signal },
    stop() {
      scheduler.close();
      // Closed before attempts in progress end. They count as interrupted, not as failed, and are made again when the file
      // is opened the next time.
      dataFile?.close();
      closing.abort();
    },
  };
}

/** @see "Platform concepts" of the specification: a default application exists when an account is created */
function putAccount(service: Service, options: ParsedOptions): void {
  const { configuration, token } = options;
  service.state.accounts.put({
    id: accountId,
    company: "Example Ltd",
    ownerEmail: "owner@example.com",
    balance: "100.00 EUR",
    pricing: [
      { product: "Messaging", unit: "SMS segment", amount: "0.07 EUR" },
      { product: "Verify", unit: "verification", amount: "0.05 EUR" },
    ],
    invoices: [{ number: "2026-001", issuedOn: "2026-01-31", amount: "42.00 EUR" }],
    senders: [],
    numbers: [],
  });
  registerSenders(service, ["Doorcode", ...options.senders], options);
  const credentials = token === undefined ? publishedCredentials : { ...randomCredentials(), id: defaultApplicationId };
  addApplication(service, [configuration, { name: "Default application" }], credentials);
}

/** Registers the sender IDs that the account does not have. */
function registerSenders(service: Service, names: readonly string[], { machine }: ParsedOptions): void {
  const account = accountOf(service);
  const known = new Set(account.senders.map(({ name }) => name));
  const registeredAt = isoInstant(machine.now());
  const added = [...new Set(names)].filter((name) => !known.has(name)).map((name) => ({ name, registeredAt }));
  service.state.accounts.put({ ...account, senders: [...account.senders, ...added] });
}

/**
 * Continues where the previous process was interrupted, with the options of this start. An attempt in progress may have arrived, so it is
 * made again.
 */
function resume(service: Service, publisher: Publisher, options: ParsedOptions): void {
  const { state, scheduler } = service;
  const { configuration, mode, isModeGiven, senders, token } = options;
  registerSenders(service, senders, options);
  reconfigureDefault(service, configuration);
  if (token !== undefined) replacePublishedCredentials(service);
  for (const { id } of listApplications(service)) {
    scheduler.resume(id);
    if (isModeGiven) scheduler.of(id).set(mode);
    const pending = state.deliveries.list(id).filter(({ status }) => status === "pending");
    for (const delivery of pending) {
      if (!isScheduled(service, delivery.id)) void publisher.attempt(delivery.id, "schedule");
    }
  }
}
