import type { Application } from "./application.ts";
import { type Collection, createCollection } from "./collection.ts";
import type { Delivery } from "./delivery.ts";
import type { Message, ServiceRequest } from "./message.ts";
import type { Verification } from "./verification.ts";

/** Everything the sandbox remembers; nothing else in it keeps records. The inbox is a view of the messages. */
export interface State {
  readonly applications: Collection<Application>;
  readonly requests: Collection<ServiceRequest>;
  readonly messages: Collection<Message>;
  readonly verifications: Collection<Verification>;
  readonly deliveries: Collection<Delivery>;
  /** Forgets what happened; applications stay as they are configured. */
  forget(): void;
  /** Calls the watcher whenever something that the page shows was written or forgotten. The function returned ends it. */
  watch(watcher: () => void): () => void;
}

/** The deliveries of an application, in the order in which they began. */
export function deliveriesOf({ deliveries }: State, applicationId: string): readonly Delivery[] {
  return deliveries.list().filter((delivery) => delivery.applicationId === applicationId);
}

/** Creates an empty state that lives in memory. */
export function createState(): State {
  const applications = createCollection<Application>();
  const messages = createCollection<Message>();
  const deliveries = createCollection<Delivery>();
  const requests = createCollection<ServiceRequest>();
  const verifications = createCollection<Verification>();
  const forgetWatchers = new Set<() => void>();

  return {
    applications,
    requests,
    messages,
    verifications,
    deliveries,
    forget() {
      for (const collection of [requests, messages, verifications, deliveries]) collection.clear();
      for (const watcher of forgetWatchers) watcher();
    },
    watch(watcher) {
      forgetWatchers.add(watcher);
      const ends = [applications, messages, deliveries].map((collection) => collection.watch(() => watcher()));
      return () => {
        forgetWatchers.delete(watcher);
        for (const end of ends) end();
      };
    },
  };
}
