import type { Service } from "../service/service.ts";
import type { Tally } from "../state/record-tallies.ts";

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
  const all = state.messages.tallies(applicationId);
  const messages = all.filter(({ summary }) => !summary.isOfVerification);
  const channelAttempts = all.filter(({ summary }) => summary.isOfVerification);
  const verifications = state.verifications.tallies(applicationId);
  const deliveries = state.deliveries.tallies(applicationId);
  return {
    messages: {
      total: sum(messages),
      segments: sum(messages, ({ segments }) => segments),
      byStatus: counts(messages, ({ status }) => status),
    },
    verifications: { total: sum(verifications), byStatus: counts(verifications, ({ status }) => status) },
    channelAttempts: { total: sum(channelAttempts), byChannel: counts(channelAttempts, ({ channel }) => channel) },
    deliveries: {
      total: sum(deliveries),
      attempts: sum(deliveries, ({ attempts }) => attempts),
      byStatus: counts(deliveries, ({ status }) => status),
    },
  };
}

/** Adds up a number of each record; by default it counts the records. */
function sum<Summary>(tallies: readonly Tally<Summary>[], numberOf: (summary: Summary) => number = () => 1): number {
  return tallies.reduce((total, { summary, count }) => total + count * numberOf(summary), 0);
}

function counts<Summary>(tallies: readonly Tally<Summary>[], nameOf: (summary: Summary) => string): Counts {
  // A map, because a dialect accepts any channel name, such as `constructor`, which every object has as a member.
  const result = new Map<string, number>();
  for (const { summary, count } of tallies) result.set(nameOf(summary), (result.get(nameOf(summary)) ?? 0) + count);
  return Object.fromEntries(result);
}
