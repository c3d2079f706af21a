import { type Account, accountId, type Mail } from "./account.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Application } from "./application.ts";
import { type Collection, type CollectionOptions, createCollection, type Journal } from "./collection.ts";
import type { Decision } from "./decision.ts";
import type { Delivery } from "./delivery.ts";
import type { Fault, Firing } from "./fault.ts";
import type { Message } from "./message.ts";
import type { ClockRate, ScheduledTask } from "./schedule.ts";
import type { Verification } from "./verification.ts";

/** The kinds of records, by the name of their collection. */
export interface Records {
  /** Exactly one. */
  readonly accounts: Account;
  /** The default application first. */
  readonly applications: Application;
  readonly messages: Message;
  readonly verifications: Verification;
  /** Webhook deliveries with their attempts. */
  readonly deliveries: Delivery;
  readonly scheduledTasks: ScheduledTask;
  /** One for each application. */
  readonly clockRates: ClockRate;
  /** Faults, including those that are used up. */
  readonly faults: Fault;
  readonly firings: Firing;
  /** Decisions of the app about its codes. They are about an app that runs now, so the data file does not keep them. */
  readonly decisions: Decision;
  /** Requests to the API. The data file does not keep them either. */
  readonly apiRequests: ApiRequest;
  readonly mails: Mail;
}

/** A collection for each kind of record. */
export type Collections = { readonly [Kind in keyof Records]: Collection<Records[Kind]> };

/** All records of the sandbox. No other part of it keeps records. */
export interface State extends Collections {
  /** Removes the messages, the scheduled tasks, the faults and all that followed of an application. Its configuration stays. */
  forget(applicationId: string): void;
  /** Calls the watcher after each change of a record that the page shows. The returned function ends it. */
  watch(watcher: () => void): () => void;
}

interface StateOptions {
  readonly journalOf?: <Kind extends keyof Records>(kind: Kind) => Journal<Records[Kind]>;
  readonly maxMessages?: number;
}

/** The default of the option `maxMessages`. */
export const defaultMaxMessages = 10_000;

/** A message usually has two deliveries, and a verification has one for each step of each channel. */
const deliveriesPerMessage = 4;
/** An app under load makes thousands of decisions and requests. */
const maxShown = 500;

const ofAccount = () => accountId;
const ofApplication = ({ applicationId }: { readonly applicationId: string }) => applicationId;

/** Creates an empty state in memory. */
export function createState({ journalOf, maxMessages = defaultMaxMessages }: StateOptions = {}): State {
  const maxDeliveries = deliveriesPerMessage * maxMessages;
  const create = <Kind extends keyof Records>(kind: Kind, options: CollectionOptions<Records[Kind]>) =>
    createCollection<Records[Kind]>({ ...options, journal: journalOf?.(kind) });
  const scheduledTasks = create("scheduledTasks", { ownerOf: ofApplication });
  const isScheduled = (...ids: readonly string[]) => ids.some((id) => scheduledTasks.get(id) !== undefined);
  const history = {
    messages: create("messages", {
      ownerOf: ofApplication,
      maxRecords: maxMessages,
      isPending: ({ id }) => isScheduled(`sent:${id}`, `outcome:${id}`, `timeout:${id}`),
    }),
    verifications: create("verifications", {
      ownerOf: ofApplication,
      maxRecords: maxMessages,
      isPending: ({ id }) => isScheduled(`expiry:${id}`),
    }),
    deliveries: create("deliveries", {
      ownerOf: ofApplication,
      maxRecords: maxDeliveries,
      isPending: ({ status }) => status === "pending",
    }),
    faults: create("faults", { ownerOf: ofApplication }),
    firings: create("firings", { ownerOf: ofApplication, maxRecords: maxDeliveries }),
    decisions: createCollection<Decision>({ ownerOf: ofApplication, maxRecords: maxShown }),
    apiRequests: createCollection<ApiRequest>({ ownerOf: ofApplication, maxRecords: maxShown }),
    mails: create("mails", { ownerOf: ofApplication }),
  };
  const accounts = create("accounts", { ownerOf: ofAccount });
  const applications = create("applications", { ownerOf: ofAccount });
  const clockRates = create("clockRates", { ownerOf: ({ id }) => id });
  const forgotten = [...Object.values(history), scheduledTasks];
  const shown = [...Object.values(history), accounts, applications, clockRates];

  return {
    ...history,
    accounts,
    applications,
    clockRates,
    scheduledTasks,
    forget(applicationId) {
      for (const collection of forgotten) collection.forget(applicationId);
    },
    watch(watcher) {
      const ends = shown.map((collection) => collection.watch(() => watcher()));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}
