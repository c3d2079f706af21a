import type { Service } from "../service/service.ts";
import { lastStep } from "../state/message.ts";

/** Number of occurrences by name. */
export type Counts = Readonly<Record<string, number>>;

/** The usage of an application. */
export interface Usage {
  /** Messages of `POST /messages`, and their SMS segments. */
  readonly messages: { readonly total: number; readonly segments: number; readonly byStatus: Counts };
  /** Verifications. */
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
      segments: sum(messages, ({ segments }) => segments),
      byStatus: counts(messages, (message) => lastStep(message).status),
    },
    verifications: { total: verifications.length, byStatus: counts(verifications, ({ status }) => status) },
    channelAttempts: { total: channelAttempts.length, byChannel: counts(channelAttempts, ({ channel }) => channel) },
    deliveries: {
      total: deliveries.length,
      attempts: sum(deliveries, ({ attempts }) => attempts.length),
      byStatus: counts(deliveries, ({ status }) => status),
    },
  };
}

function sum<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}

function counts<Item>(items: readonly Item[], nameOf: (item: Item) => string): Counts {
  // A map, because a dialect accepts any channel name, such as `constructor`, which every object has as a member.
  const result = new Map<string, number>();
  for (const item of items) result.set(nameOf(item), (result.get(nameOf(item)) ?? 0) + 1);
  return Object.fromEntries(result);
}
