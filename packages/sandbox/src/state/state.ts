import type { Account, Mail } from "./account.ts";
import { accountId } from "./account.ts";
import type { Application } from "./application.ts";
import { type Collection, createCollection, type Journal } from "./collection.ts";
import type { Delivery } from "./delivery.ts";
import type { Fault, Firing } from "./fault.ts";
import type { Message, ServiceRequest } from "./message.ts";
import type { Pace, Plan } from "./plan.ts";
import type { Verification } from "./verification.ts";

/** The kinds of records, by the name of their collection. */
export interface Records {
  readonly accounts: Account;
  readonly applications: Application;
  readonly requests: ServiceRequest;
  readonly messages: Message;
  readonly verifications: Verification;
  readonly deliveries: Delivery;
  readonly plans: Plan;
  readonly paces: Pace;
  readonly faults: Fault;
  readonly firings: Firing;
  readonly mails: Mail;
}

/** A collection for each kind of record. */
export type Collections = { readonly [Kind in keyof Records]: Collection<Records[Kind]> };

/** Everything the sandbox remembers; nothing else in it keeps records. */
export interface State extends Collections {
  /** Forgets what happened to an application, what was to come, and its faults; its configuration stays. */
  forget(applicationId: string): void;
  /**
   * Calls the watcher whenever something that people look at was written or forgotten, with the application it belongs
   * to. The function returned ends it.
   */
  watch(watcher: (applicationId: string) => void): () => void;
}

/** What keeps the records of a state beyond the process. */
export interface Journals {
  /** The journal of one kind. */
  of<Kind extends keyof Records>(kind: Kind): Journal<Records[Kind]>;
}

const forgotten = [
  "requests",
  "messages",
  "verifications",
  "deliveries",
  "plans",
  "faults",
  "firings",
  "mails",
] as const;
const shown = [
  "applications",
  "messages",
  "verifications",
  "deliveries",
  "paces",
  "faults",
  "firings",
  "mails",
] as const;

/** Creates an empty state that lives in memory and, with journals, beyond. */
export function createState(journals?: Journals): State {
  const owned = <Kind extends Exclude<keyof Records, "accounts" | "applications" | "paces">>(kind: Kind) =>
    createCollection<Records[Kind]>(({ applicationId }) => applicationId, journals?.of(kind));
  const collections: Collections = {
    accounts: createCollection(() => accountId, journals?.of("accounts")),
    applications: createCollection(() => accountId, journals?.of("applications")),
    paces: createCollection(({ id }) => id, journals?.of("paces")),
    requests: owned("requests"),
    messages: owned("messages"),
    verifications: owned("verifications"),
    deliveries: owned("deliveries"),
    plans: owned("plans"),
    faults: owned("faults"),
    firings: owned("firings"),
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
      const tell = (item: { readonly id: string; readonly applicationId?: string }) =>
        watcher(item.applicationId ?? item.id);
      const ends = shown.map((kind) => collections[kind].watch(tell));
      return () => {
        forgetWatchers.delete(watcher);
        for (const end of ends) end();
      };
    },
  };
}
