import { changed } from "./changes.ts";
import { defaultCredentials } from "./credentials.ts";
import type { AccountRecords, ParsedOptions } from "./options.ts";
import { createApplication } from "./portal/applications.ts";
import { instantOf } from "./service/instant.ts";
import { performPlan } from "./service/perform-plan.ts";
import type { Service } from "./service/service.ts";
import { accountId } from "./state/account.ts";
import { defaultApplicationId } from "./state/application.ts";
import type { DataFile } from "./state/data-file.ts";
import { createState } from "./state/state.ts";
import { createAgenda } from "./time/agenda.ts";
import { isPlanned } from "./webhook/plan-attempt.ts";
import { createPublisher, type Publisher } from "./webhook/publisher.ts";
import { createTransport, type Transport } from "./webhook/transport.ts";

/** A service that runs, with no door to it yet. */
export interface RunningService {
  readonly service: Service;
  readonly publisher: Publisher;
  readonly transport: Transport;
  /** Aborted when the service stops. */
  readonly closed: AbortSignal;
  /** Stops everything that is to come, ends what is under way, and lets go of the data file. */
  stop(): void;
}

/**
 * Starts the service: with what its data file holds, or with an account and its default application.
 *
 * @throws SandboxError `data_file_unusable`, `data_file_taken`
 */
export async function startService(options: ParsedOptions): Promise<RunningService> {
  const closing = new AbortController();
  const dataFile = options.data === undefined ? undefined : await openData(options.data);
  const state = createState(dataFile?.journals);
  dataFile?.load(state);
  const transport = createTransport({ closed: closing.signal, allowRemote: options.allowRemoteWebhooks });

  // Each of the three calls the others, and only once all are there.
  const agenda = createAgenda({
    state,
    machine: options.machine,
    mode: options.mode,
    perform: (plan) => performPlan(service, plan, (deliveryId) => void publisher.attempt(deliveryId, "schedule")),
    settled: (applicationId) => publisher.settled(applicationId),
  });
  const publisher = createPublisher({ state, agenda, transport });
  const service: Service = { state, agenda, publish: publisher.publish };

  if (!state.accounts.get(accountId)) foundAccount(service, options);
  else resume(service, publisher, options);
  return {
    service,
    publisher,
    transport,
    closed: closing.signal,
    stop() {
      agenda.close();
      // What is under way counts as cut off, not as failed: it is made again when the file is opened next.
      dataFile?.close();
      closing.abort();
    },
  };
}

/** The file is read by what only those load who name one. */
async function openData(path: string): Promise<DataFile> {
  const { openDataFile } = await import("./state/data-file.ts");
  return openDataFile(path);
}

/** @see "Platform concepts" of the specification: a default application exists when an account is created */
function foundAccount(service: Service, { account, senders, configuration, machine }: ParsedOptions): void {
  const registeredAt = instantOf(machine.now());
  const records: AccountRecords = {
    company: "Example Ltd",
    ownerEmail: "owner@example.com",
    balance: "100.00 EUR",
    pricing: [
      { product: "Messaging", unit: "SMS segment", amount: "0.07 EUR" },
      { product: "Verify", unit: "verification", amount: "0.05 EUR" },
    ],
    invoices: [{ number: "2026-001", issuedOn: "2026-01-31", amount: "42.00 EUR" }],
  };
  service.state.accounts.put({
    ...changed(records, account),
    id: accountId,
    senders: ["Doorcode", ...senders].map((name) => ({ name, registeredAt })),
    numbers: [],
  });
  const name = "Default application";
  createApplication(service, [configuration, { name }], { id: defaultApplicationId, ...defaultCredentials });
}

/** Goes on where the process before was cut off: an attempt that was under way may have arrived, so it is made again. */
function resume(service: Service, publisher: Publisher, { mode, isModeGiven }: ParsedOptions): void {
  const { state, agenda } = service;
  for (const { id } of state.applications.list(accountId)) {
    agenda.resume(id);
    if (isModeGiven) agenda.of(id).set(mode);
    for (const delivery of state.deliveries.list(id)) {
      const isCutOff = delivery.status === "pending" && !isPlanned(service, delivery.id);
      if (isCutOff) void publisher.attempt(delivery.id, "schedule");
    }
  }
}
