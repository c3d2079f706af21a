import { type Delivery, isAcknowledged } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import type { Message } from "../../state/message.ts";
import { isoInstant } from "../../state/record.ts";
import type { State } from "../../state/state.ts";
import type { Confirmation, ConfirmationOutcome, Verification } from "../../state/verification.ts";
import { BackLink, CodeChip, CopyButton } from "../components/controls.tsx";
import { Card, Facts, type Html } from "../components/elements.tsx";
import { actionText } from "../components/fault-text.ts";
import type { IconName } from "../components/icon.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { Countdown, channelName, Instant, Status, statusText, toneOf } from "../components/status.tsx";
import { inOrder, Timeline, type TimelineEntry } from "../components/timeline.tsx";
import { attemptText, changesText } from "../webhooks/attempts.tsx";
import { ChannelChain, type ChannelProgress, progressOf } from "./channels.tsx";

/** A verification and its related records. */
interface VerificationResult {
  readonly verification: Verification;
  readonly channels: readonly ChannelProgress[];
  readonly messages: readonly Message[];
  /** The webhook deliveries, the newest first. */
  readonly deliveries: readonly Delivery[];
  /** The firings of faults, the newest first. */
  readonly firings: readonly Firing[];
}

/** Finds a verification of an application and its related records; undefined when there is none with this id. */
export function findVerification(
  state: Pick<State, "messages" | "verifications" | "deliveries" | "firings">,
  applicationId: string,
  id: string,
): VerificationResult | undefined {
  const verification = state.verifications.get(id);
  if (verification?.applicationId !== applicationId) return undefined;
  const subjects = new Set([id, ...verification.messageIds]);
  const isRelated = ({ subjectId }: Delivery | Firing) => subjectId !== undefined && subjects.has(subjectId);
  return {
    verification,
    channels: progressOf(state, verification),
    messages: verification.messageIds
      .map((messageId) => state.messages.get(messageId))
      .filter((message) => message !== undefined),
    deliveries: state.deliveries.list(applicationId).filter(isRelated).reverse(),
    firings: state.firings.list(applicationId).filter(isRelated).reverse(),
  };
}

interface VerificationDetailsProps {
  readonly result: VerificationResult;
  readonly now: number;
  readonly maxAttempts: number;
}

/** Shows one verification with its timeline. */
export function VerificationDetails({ result, now, maxAttempts }: VerificationDetailsProps): Html {
  const { verification, channels, messages } = result;
  const { applicationId, recipient, status, code } = verification;
  const [message] = messages;
  return (
    <>
      <div class="view-head">
        <BackLink href={applicationPath(applicationId, "verifications")} label="All verifications" />
        <h1 class="number">{recipient}</h1>
        <Status tone={toneOf(status)}>{statusText(status)}</Status>
        <span class="push" />
        {message && (
          <a class="button quiet" href={threadPath(applicationId, message)}>
            Thread
          </a>
        )}
      </div>
      <Card id="code" title="Code">
        <div class="row code-row">
          <CodeChip code={code} />
          <ChannelChain channels={channels} />
        </div>
        <Facts facts={facts(verification, now, maxAttempts)} />
      </Card>
      <Card
        id="timeline"
        title="Timeline"
        lead="Channels, codes, webhooks and faults, in the order in which they happened."
      >
        <Timeline entries={verificationTimeline(result)} label="Timeline of the verification" />
      </Card>
    </>
  );
}

function facts(verification: Verification, now: number, maxAttempts: number) {
  const { id, requestId, wrongCodes, customOtp, createdAt, concludedAt, expiresAtMilliseconds, status } = verification;
  const expiry = isoInstant(expiresAtMilliseconds);
  const isOpen = status === "PENDING" && !customOtp;
  return [
    ["Wrong codes", customOtp ? "checked by the caller" : `${wrongCodes} of ${maxAttempts}`],
    [
      "Expires",
      isOpen ? <Countdown until={expiry} now={now} /> : customOtp ? "never" : <Instant at={expiry} now={now} />,
    ],
    ["Created", <Instant at={createdAt} now={now} />],
    ["Ended", concludedAt === undefined ? "not yet" : <Instant at={concludedAt} now={now} />],
    ["verification_id", <Id text={id} />],
    ["request_id", <Id text={requestId} />],
  ] as const;
}

function Id({ text }: { readonly text: string }): Html {
  return (
    <span class="id">
      <code>{text}</code> <CopyButton text={text} label="the id" bare />
    </span>
  );
}

/** Returns the timeline of a verification: channels, codes, webhooks and faults. */
function verificationTimeline(result: VerificationResult): readonly TimelineEntry[] {
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
