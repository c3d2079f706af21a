import { type Delivery, isAcknowledged } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { Message } from "../../state/message.ts";
import type { Confirmation, ConfirmationOutcome, Verification } from "../../state/verification.ts";
import { channelName } from "../components/channel.tsx";
import { actionText } from "../components/fault-text.ts";
import type { IconName } from "../components/icon.tsx";
import { applicationPath } from "../components/paths.ts";
import { statusText, toneOf } from "../components/status.tsx";
import { inOrder, type TimelineEntry } from "../components/timeline.tsx";
import { attemptText, changesText } from "../webhooks/attempt-text.ts";
import type { VerificationResult } from "./verification-query.ts";

/** Returns the timeline of a verification: channels, codes, webhooks and faults. */
export function verificationTimeline(result: VerificationResult): readonly TimelineEntry[] {
  const { verification, messages, deliveries, firings } = result;
  return inOrder([
    createdEntry(verification),
    ...messages.flatMap(messageEntries),
    ...messages.flatMap((message, index) => timeOutEntry(message, messages[index + 1])),
    ...verification.confirmations.flatMap(confirmationEntry),
    ...endEntry(verification),
    ...firings.map(firingEntry),
    ...deliveries.toReversed().flatMap(deliveryEntries),
  ]);
}

function createdEntry({ createdAt, channels, customOtp }: Verification): TimelineEntry {
  const order = channels.map(channelName).join(", then ");
  const text = customOtp ? "Accepted, with a code of the caller" : "Accepted";
  return { at: createdAt, tone: "quiet", icon: "shield", text, detail: `Tries ${order}` };
}

function messageEntries({ channel, timeline }: Message): readonly TimelineEntry[] {
  return timeline.map(({ status, at }) => ({
    at,
    tone: toneOf(status),
    icon: channel === "VOICE" ? "call" : "phone",
    text: `${channelName(channel)} ${statusText(status).toLowerCase()}`,
  }));
}

/** A fallback after a failure needs no entry, because the failure has one. */
function timeOutEntry(message: Message, next: Message | undefined): readonly TimelineEntry[] {
  if (!next) return [];
  const { at } = next.timeline[0];
  const failed = message.timeline.some((step) => step.status === "FAILED" && Date.parse(step.at) <= Date.parse(at));
  if (failed) return [];
  const text = `${channelName(message.channel)} timed out, ${channelName(next.channel)} is next`;
  return [{ at, tone: "warn", icon: "clock", text }];
}

const ends: Readonly<Record<string, readonly [IconName, string]>> = {
  APPROVED: ["check", "Approved: the right code was confirmed"],
  EXPIRED: ["clock", "Expired"],
  FAILED: ["cross", "Failed"],
};

function endEntry({ status, concludedAt }: Verification): readonly TimelineEntry[] {
  const end = ends[status];
  if (concludedAt === undefined || !end) return [];
  return [{ at: concludedAt, tone: toneOf(status), icon: end[0], text: end[1] }];
}

const refusals: Readonly<Record<Exclude<ConfirmationOutcome, "approved">, string>> = {
  wrong: "the code was incorrect",
  expired: "the code had expired or was already used",
  exhausted: "too many attempts",
  custom_otp: "the caller must check its own code",
};

/** An approval needs no entry, because the end of the verification has one. */
function confirmationEntry({ at, outcome }: Confirmation): readonly TimelineEntry[] {
  if (outcome === "approved") return [];
  return [{ at, tone: "warn", icon: "cross", text: `Confirmation refused: ${refusals[outcome]}` }];
}

function firingEntry({ at, on, action }: Firing): TimelineEntry {
  return { at, tone: "warn", icon: "bolt", text: `Fault on ${on}`, detail: actionText(action) };
}

function deliveryEntries(delivery: Delivery): readonly TimelineEntry[] {
  const { applicationId, id, eventStatus, url, createdAt, attempts } = delivery;
  const href = applicationPath(applicationId, "webhooks", id);
  const text = `Webhook “${eventStatus}” to ${url.replace(/^https?:\/\//, "")}`;
  if (attempts.length === 0) {
    return [{ at: createdAt, tone: "busy", icon: "webhook", text, detail: "Being sent", href }];
  }
  return attempts.map((attempt, index) => ({
    at: attempt.at,
    tone: isAcknowledged(attempt) ? "good" : attempt.changes ? "warn" : "bad",
    icon: "webhook",
    text: attempts.length > 1 ? `${text}, attempt ${index + 1}` : text,
    detail: `${attemptText(attempt, url)}${attempt.changes ? `, sent with changes: ${changesText(attempt.changes)}` : ""}`,
    href,
  }));
}
