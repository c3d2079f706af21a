import type { Service } from "../service/service.ts";
import { lastStep } from "../state/message.ts";

/** How often each name occurred. */
export type Counts = Readonly<Record<string, number>>;

/** What an application used. */
export interface Usage {
  /** Of `POST /messages`. */
  readonly messages: { readonly total: number; readonly segments: number; readonly byStatus: Counts };
  readonly verifications: { readonly total: number; readonly byStatus: Counts };
  /** Messages that carried a code, one per channel attempt. */
  readonly channelAttempts: { readonly total: number; readonly byChannel: Counts };
  readonly deliveries: { readonly total: number; readonly attempts: number; readonly byStatus: Counts };
}

/** Reports the usage of one application. @see "Platform concepts" of the specification */
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

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

function counts<Item>(items: readonly Item[], of: (item: Item) => string): Counts {
  // A dialect takes any name for a channel, also that of a member which every object has.
  const result = new Map<string, number>();
  for (const item of items) result.set(of(item), (result.get(of(item)) ?? 0) + 1);
  return Object.fromEntries(result);
}
