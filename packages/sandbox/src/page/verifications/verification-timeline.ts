import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { Message } from "../../state/message.ts";
import type { Confirmation, ConfirmationOutcome, Verification } from "../../state/verification.ts";
import { address } from "../address.ts";
import { attemptWords, isAcknowledged } from "../attempt-words.ts";
import { channelName } from "../controls/channel.tsx";
import type { IconName } from "../controls/icon.tsx";
import { statusWord, type Tone, toneOf } from "../controls/status.tsx";
import { inOrder, type TimelineEntry } from "../controls/timeline.tsx";
import { actionWords } from "../fault-words.ts";
import type { VerificationView } from "./verification-view.ts";

/** Everything that happened to a verification in one order: channels, codes, webhooks, faults. */
export function verificationTimeline(view: VerificationView): readonly TimelineEntry[] {
  const { verification, messages, deliveries, firings } = view;
  return inOrder([
    created(verification),
    ...messages.flatMap(channelEntries),
    ...messages.flatMap((message, index) => leftEntry(message, messages[index + 1])),
    ...verification.confirmations.flatMap(confirmationEntry),
    ...concluded(verification),
    ...firings.map(firingEntry),
    ...deliveries.toReversed().flatMap(deliveryEntries),
  ]);
}

function created({ createdAt, channels, customOtp }: Verification): TimelineEntry {
  const order = channels.map(channelName).join(", then ");
  const text = customOtp ? "Accepted, with a code of the caller" : "Accepted";
  return { at: createdAt, tone: "quiet", icon: "shield", text, detail: `Tries ${order}` };
}

function channelEntries({ channel, timeline }: Message): readonly TimelineEntry[] {
  return timeline.map(({ status, at }) => ({
    at,
    tone: toneOf(status),
    icon: channel === "VOICE" ? "call" : "phone",
    text: `${channelName(channel)} ${statusWord(status).toLowerCase()}`,
  }));
}

/** A channel was left after it failed, which its own steps tell, or because no outcome came in time. */
function leftEntry(message: Message, next: Message | undefined): readonly TimelineEntry[] {
  if (!next) return [];
  const left = next.timeline[0].at;
  const failed = message.timeline.some(({ status, at }) => status === "FAILED" && Date.parse(at) <= Date.parse(left));
  if (failed) return [];
  const text = `${channelName(message.channel)} timed out, ${channelName(next.channel)} is next`;
  return [{ at: left, tone: "warn", icon: "clock", text }];
}

const endings: Readonly<Record<string, readonly [IconName, string]>> = {
  APPROVED: ["check", "Approved: the right code was confirmed"],
  EXPIRED: ["clock", "Expired"],
  FAILED: ["cross", "Failed"],
};

function concluded({ status, concludedAt }: Verification): readonly TimelineEntry[] {
  const ending = endings[status];
  if (concludedAt === undefined || !ending) return [];
  return [{ at: concludedAt, tone: toneOf(status), icon: ending[0], text: ending[1] }];
}

const refusals: Readonly<Record<Exclude<ConfirmationOutcome, "approved">, string>> = {
  wrong: "the code was wrong",
  over: "the code had expired or was used",
  exhausted: "too many attempts",
  custom_otp: "the caller checks its own code",
};

/** A right code is told by how the verification ended. */
function confirmationEntry({ at, outcome }: Confirmation): readonly TimelineEntry[] {
  if (outcome === "approved") return [];
  return [{ at, tone: "warn", icon: "cross", text: `Confirmation refused: ${refusals[outcome]}` }];
}

function firingEntry({ at, on, action }: Firing): TimelineEntry {
  return { at, tone: "warn", icon: "bolt", text: `Fault on ${on}`, detail: actionWords(action) };
}

function deliveryEntries({ applicationId, id, told, url, createdAt, attempts }: Delivery): readonly TimelineEntry[] {
  const href = address(applicationId, "webhooks", id);
  const text = `Webhook “${told}” to ${url.replace(/^https?:\/\//, "")}`;
  if (attempts.length === 0)
    return [{ at: createdAt, tone: "busy", icon: "webhook", text, detail: "On its way", href }];
  return attempts.map((attempt, index) => {
    const tone: Tone = isAcknowledged(attempt) ? "good" : "bad";
    const counted = attempts.length > 1 ? `, attempt ${index + 1}` : "";
    return {
      at: attempt.at,
      tone,
      icon: "webhook",
      text: `${text}${counted}`,
      detail: attemptWords(attempt, url),
      href,
    };
  });
}
