import type { Account, Mail } from "./account.ts";
import { accountId } from "./account.ts";
import type { Application } from "./application.ts";
import type { ClockRate } from "./clock-rate.ts";
import {
  type Collection,
  createCollection,
  createHistory,
  type History,
  type Journal,
  type ReportedRecords,
} from "./collection.ts";
import type { Decision } from "./decision.ts";
import { type Delivery, type DeliverySummary, summaryOfDelivery } from "./delivery.ts";
import type { Fault, Firing } from "./fault.ts";
import { type Message, type MessageSummary, type ServiceRequest, summaryOfMessage } from "./message.ts";
import type { IndexedBy } from "./record-table.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { summaryOfVerification, type Verification, type VerificationSummary } from "./verification.ts";

/** The kinds of records, by the name of their collection. */
export interface Records {
  /** Exactly one. */
  readonly accounts: Account;
  /** The default application first. */
  readonly applications: Application;
  /** Accepted API calls with a `callback_url`. Nothing asks for the others. */
  readonly requests: ServiceRequest;
  /** Messages, including the channel attempts of verifications. */
  readonly messages: Message;
  /** Verifications. */
  readonly verifications: Verification;
  /** Webhook deliveries with their attempts. */
  readonly deliveries: Delivery;
  /** Work for a later instant. */
  readonly scheduledTasks: ScheduledTask;
  /** One for each application. */
  readonly clockRates: ClockRate;
  /** Faults, including those that are used up. */
  readonly faults: Fault;
  /** Firings of faults. */
  readonly firings: Firing;
  /** Decisions of the app about its codes. They are about an app that runs now, so the data file does not keep them. */
  readonly decisions: Decision;
  /** Mails to the owner of the account. */
  readonly mails: Mail;
}

/** A collection for each kind of record. */
export type Collections = { readonly [Kind in keyof Records]: ReportedRecords<Records[Kind]> };

/** The kinds of which records are removed one by one. */
type PlainCollections = { readonly [Kind in Exclude<keyof Records, keyof Histories>]: Collection<Records[Kind]> };

/** The kinds of which each message adds records. */
export interface Histories {
  /** Indexed by the recipient. */
  readonly messages: History<Message, MessageSummary>;
  /** Indexed by the recipient. */
  readonly verifications: History<Verification, VerificationSummary>;
  /** Indexed by the recipient. */
  readonly deliveries: History<Delivery, DeliverySummary>;
}

/** All records of the sandbox. No other part of it keeps records. */
export interface State extends PlainCollections, Histories {
  /** Removes the history, the scheduled tasks and the faults of an application. Its configuration stays. */
  forget(applicationId: string): void;
  /**
   * Calls the watcher with the application's id after each change of a record that the page shows, and after `forget`.
   * The returned function ends it.
   */
  watch(watcher: (applicationId: string) => void): () => void;
}

/** A copy of all records outside of memory. */
export interface Journals {
  /** Returns the journal of one kind of record. */
  of<Kind extends keyof Records>(kind: Kind): Journal<Records[Kind]>;
}

const forgotten = [
  "requests",
  "messages",
  "verifications",
  "deliveries",
  "scheduledTasks",
  "faults",
  "firings",
  "decisions",
  "mails",
] as const;
const shown = [
  "applications",
  "messages",
  "verifications",
  "deliveries",
  "clockRates",
  "faults",
  "firings",
  "decisions",
  "mails",
] as const;

const recipientOf = ({ recipient }: { readonly recipient: string }) => recipient;

/** Creates an empty state in memory. With journals, it reports every change to them. */
export function createState(journals?: Journals): State {
  const owned = <Kind extends Exclude<keyof PlainCollections, "accounts" | "applications" | "clockRates">>(
    kind: Kind,
  ) => createCollection<Records[Kind]>(({ applicationId }) => applicationId, journals?.of(kind));
  const history = <Kind extends keyof Histories, Summary>(kind: Kind, indexedBy: IndexedBy<Records[Kind], Summary>) =>
    createHistory<Records[Kind], Summary>(({ applicationId }) => applicationId, indexedBy, journals?.of(kind));
  const collections: PlainCollections & Histories = {
    accounts: createCollection(() => accountId, journals?.of("accounts")),
    applications: createCollection(() => accountId, journals?.of("applications")),
    clockRates: createCollection(({ id }) => id, journals?.of("clockRates")),
    requests: owned("requests"),
    messages: history("messages", { phoneOf: ({ to }) => to, summaryOf: summaryOfMessage }),
    verifications: history("verifications", { phoneOf: recipientOf, summaryOf: summaryOfVerification }),
    deliveries: history("deliveries", { phoneOf: recipientOf, summaryOf: summaryOfDelivery }),
    scheduledTasks: owned("scheduledTasks"),
    faults: owned("faults"),
    firings: owned("firings"),
    decisions: createCollection(({ applicationId }) => applicationId),
    mails: owned("mails"),
  };
  const forgetWatchers = new Set<(applicationId: string) => void>();

  return {
    ...collections,
    forget(applicationId) {
      for (const kind of forgotten) collections[kind].forget(applicationId);
      for (const watcher of forgetWatchers) watcher(applicationId);
    },
    watch(watcher) {
      forgetWatchers.add(watcher);
      const notify = (item: { readonly id: string; readonly applicationId?: string }) =>
        watcher(item.applicationId ?? item.id);
      const ends = shown.map((kind) => collections[kind].watch(notify));
      return () => {
        forgetWatchers.delete(watcher);
        for (const end of ends) end();
      };
    },
  };
}
