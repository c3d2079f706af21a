import type { WebhookEvent } from "@doorcode/core";
import type { Dialect } from "@doorcode/sandbox";
import type { Owner } from "./expected-answers.ts";

/** A status, and what it was about: the channel and its own status, where the dialect tells them. */
export type Step = readonly [status: unknown, channel?: unknown, channelStatus?: unknown];

/** What the events of a login tell: its first channel fails, its second delivers, and then the code is confirmed. */
export function loginTrack(dialect: Dialect, channels: readonly string[], owner: Owner): readonly Step[] {
  const known = dialect.verificationStatuses === "known";
  const pending = known ? "PENDING" : "in_progress";
  const [first = "", second = ""] = channels;
  const told = (channel: string, status: string): Step =>
    dialect.eventFields === "bare" ? [pending, undefined, undefined] : [pending, channel, status];
  const sent = [...messageTrack(dialect), "FAILED"].map((status) => told(first, status));
  const delivered = [...messageTrack(dialect), "DELIVERED"].map((status) => told(second, status));
  // The service is never asked about a code of the app's, so it has no outcome to tell.
  const outcome: readonly Step[] = owner === "app" ? [] : [[known ? "APPROVED" : "verified", undefined, undefined]];
  return [...sent, ...delivered, ...outcome];
}

/** What the events of a message tell before its outcome. */
export function messageTrack({ messageStatuses }: Dialect): readonly string[] {
  return messageStatuses === "five" ? ["BUFFERED", "SENT"] : ["SENT"];
}

/** What the login page is told of the delivery, once the second channel delivered. */
export function deliveryTold({ eventFields, verificationStatuses }: Dialect, channels: readonly string[]): object {
  const status = verificationStatuses === "known" ? "PENDING" : "in_progress";
  // Events that name no channel tell of the verification alone.
  if (eventFields === "bare") return { status, attempts: [] };
  const [first, second] = channels;
  const failed = { channel: first, status: "FAILED" };
  return { status, channel: second, attempts: [failed, { channel: second, status: "DELIVERED" }] };
}

/** The steps that handlers were called with. */
export function stepsOf(events: readonly WebhookEvent[]): readonly Step[] {
  return events.map(({ data: { status, channel, channel_status } }) => [status, channel, channel_status]);
}

/** The statuses of one message that handlers were called with. */
export function statusesOf(events: readonly WebhookEvent[], messageId: string): readonly unknown[] {
  return events.filter(({ data }) => data.message_id === messageId).map(({ data }) => data.status);
}
