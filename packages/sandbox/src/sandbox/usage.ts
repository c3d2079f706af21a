import type { Service } from "../service/service.ts";
import { lastStep } from "../state/message.ts";

/** Number of occurrences by name. */
export type Counts = Readonly<Record<string, number>>;

/** The usage of an application. */
export interface Usage {
  /** Messages of `POST /messages`, and their SMS segments. */
  readonly messages: { readonly total: number; readonly segments: number; readonly byStatus: Counts };
  readonly verifications: { readonly total: number; readonly byStatus: Counts };
  /** Messages with the code of a verification: one for each channel attempt. */
  readonly channelAttempts: { readonly total: number; readonly byChannel: Counts };
  /** Webhook deliveries, and all of their attempts. */
  readonly deliveries: { readonly total: number; readonly attempts: number; readonly byStatus: Counts };
}

/** Returns the usage of an application. @see "Platform concepts" of the specification */
export function usageOf({ state }: Service, applicationId: string): Usage {
  const all = state.messages.list(applicationId);
  const messages = all.filter(({ verificationId }) => verificationId === undefined);
  const channelAttempts = all.filter(({ verificationId }) => verificationId !== undefined);
  const verifications = state.verifications.list(applicationId);
  const deliveries = state.deliveries.list(applicationId);
  return {
    messages: {
      total: messages.length,
      segments: messages.reduce((total, { segments }) => total + segments, 0),
      byStatus: countBy(messages, (message) => lastStep(message).status),
    },
    verifications: { total: verifications.length, byStatus: countBy(verifications, ({ status }) => status) },
    channelAttempts: { total: channelAttempts.length, byChannel: countBy(channelAttempts, ({ channel }) => channel) },
    deliveries: {
      total: deliveries.length,
      attempts: deliveries.reduce((total, { attempts }) => total + attempts.length, 0),
      byStatus: countBy(deliveries, ({ status }) => status),
    },
  };
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Counts {
  const groups = Map.groupBy(items, nameOf);
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.length]));
}
