import type { DeliveryState } from "../webhooks/entity-record.ts";

/** How far a code has come. The service's own words stay on the server: they may tell about the line. */
export type DeliveryStatus = "sending" | "sent" | "delivered" | "failed" | "unknown";

/** The delivery of the newest code, as the service's webhooks report it. */
export interface CodeDelivery {
  /** The status on the channel that has come farthest. */
  readonly status: DeliveryStatus;
  /** That channel; left out until an event has named one. */
  readonly channel?: string;
  /** One attempt for each channel, in the order of their first events. */
  readonly attempts: readonly { readonly channel: string; readonly status: DeliveryStatus }[];
}

/** From the statuses of messages that the specification names, and a few that services have besides. */
const statuses: ReadonlyMap<string, DeliveryStatus> = new Map([
  ["QUEUED", "sending"],
  ["PENDING", "sending"],
  ["BUFFERED", "sending"],
  ["SENT", "sent"],
  ["DELIVERED", "delivered"],
  ["READ", "delivered"],
  ["FAILED", "failed"],
  ["UNDELIVERED", "failed"],
]);

const fromBestToWorst: readonly DeliveryStatus[] = ["delivered", "sent", "sending", "unknown", "failed"];

/**
 * Describes a delivery for a page, in coarse words.
 *
 * @see "Message statuses" of the specification
 */
export function describeDelivery({ status, attempts: reported }: DeliveryState): CodeDelivery {
  const attempts = reported.map(({ channel, status: word }) => ({ channel, status: readStatus(word) }));
  const whole = readStatus(status);
  const [best] = attempts.toSorted((left, right) => rankOf(left.status) - rankOf(right.status));
  if (!best) return { status: whole, attempts };
  // After a failed channel the service may try the next one.
  const goesOn = best.status === "failed" && whole === "sending";
  return { status: goesOn ? whole : best.status, channel: best.channel, attempts };
}

function readStatus(word: string | undefined): DeliveryStatus {
  return statuses.get(word?.toUpperCase() ?? "") ?? "unknown";
}

function rankOf(status: DeliveryStatus): number {
  return fromBestToWorst.indexOf(status);
}
