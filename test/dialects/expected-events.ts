import type { WebhookEvent } from "@doorcode/core";
import type { Dialect } from "@doorcode/sandbox";
import type { Owner } from "./expected-answers.ts";

/** The status in an event, with the channel and its status where the dialect sends them. */
export type Step = readonly [status: unknown, channel?: unknown, channelStatus?: unknown];

/** The events of a login whose first channel fails, whose second delivers, and whose code is then confirmed. */
export function loginEvents(dialect: Dialect, channels: readonly string[], owner: Owner): readonly Step[] {
  const known = dialect.verificationStatuses === "known";
  const pending = known ? "PENDING" : "in_progress";
  const [first = "", second = ""] = channels;
  const stepOf = (channel: string, status: string): Step =>
    dialect.eventFields === "bare" ? [pending, undefined, undefined] : [pending, channel, status];
  const sent = [...messageEvents(dialect), "FAILED"].map((status) => stepOf(first, status));
  const delivered = [...messageEvents(dialect), "DELIVERED"].map((status) => stepOf(second, status));
  // The app compares its own codes, so the service sends no outcome.
  const outcome: readonly Step[] = owner === "app" ? [] : [[known ? "APPROVED" : "verified", undefined, undefined]];
  return [...sent, ...delivered, ...outcome];
}

/** The statuses of a message before its outcome. */
export function messageEvents({ messageStatuses }: Dialect): readonly string[] {
  return messageStatuses === "five" ? ["BUFFERED", "SENT"] : ["SENT"];
}

/** The delivery in the state of a login after its second channel delivered. */
export function expectedDelivery({ eventFields, verificationStatuses }: Dialect, channels: readonly string[]): object {
  // Without channels in the events, only the status of the verification is known, in words that every service chooses.
  if (eventFields === "bare") return { status: verificationStatuses === "known" ? "sending" : "unknown", attempts: [] };
  const [first, second] = channels;
  const failed = { channel: first, status: "failed" };
  return { status: "delivered", channel: second, attempts: [failed, { channel: second, status: "delivered" }] };
}

/** The steps of the handled events. */
export function stepsOf(events: readonly WebhookEvent[]): readonly Step[] {
  return events.map(({ data: { status, channel, channel_status } }) => [status, channel, channel_status]);
}

/** The statuses of one message among the handled events. */
export function statusesOf(events: readonly WebhookEvent[], messageId: string): readonly unknown[] {
  return events.filter(({ data }) => data.message_id === messageId).map(({ data }) => data.status);
}
