import { Card, Facts, type Html, Icon, type IconName, Status } from "@doorcode/operations/page-parts";
import { type Delivery, isAcknowledged } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import { lastStep, type Message } from "../../state/message.ts";
import { isoInstant } from "../../state/record.ts";
import type { State } from "../../state/state.ts";
import type { Confirmation, ConfirmationOutcome, Verification, VerificationStatus } from "../../state/verification.ts";
import { firingEntry } from "../clock/faults.tsx";
import { BackLink, CodeChip, CopyButton } from "../components/controls.tsx";
import { Phone } from "../components/digits.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import {
  Countdown,
  channelName,
  Instant,
  statusText,
  Timeline,
  type TimelineEntry,
  toneOf,
} from "../components/status.tsx";
import type { PageRequest } from "../request/page-request.tsx";
import { attemptText, changesText } from "../webhooks/attempts.tsx";

/** Shows one verification with its timeline. */
export function verificationDetails(verification: Verification, request: PageRequest): Html {
  const { applicationId, recipient, status, code } = verification;
  const { state } = request.deps;
  const [message] = messagesOf(state, verification);
  return (
    <>
      <div class="view-head">
        <BackLink href={applicationPath(applicationId, "verifications")} label="All verifications" />
        <h1>
          <Phone number={recipient} />
        </h1>
        <Status tone={toneOf(status)}>{statusText(status)}</Status>
        <span class="push" />
        {message && (
          <a class="button" href={threadPath(applicationId, message)}>
            Thread
          </a>
        )}
      </div>
      <Card id="code" title="Code">
        <div class="row code-row">
          <CodeChip code={code} />
          {channelChain(verification, state)}
        </div>
        <Facts facts={facts(verification, request)} />
      </Card>
      <Card
        id="timeline"
        title="Timeline"
        lead="Channels, codes, webhooks and faults, in the order in which they happened."
      >
        <Timeline entries={verificationTimeline(state, verification)} label="Timeline of the verification" />
      </Card>
    </>
  );
}

/** Shows the channels of a verification in their order, each with its status. */
export function channelChain({ channels, messageIds }: Verification, state: State): Html {
  return (
    <ol class="chain" aria-label="Channels">
      {channels.map((channel, index) => {
        const message = state.messages.get(messageIds[index] ?? "");
        const status = message && lastStep(message).status;
        return (
          <li class={status ? toneOf(status) : "untried"}>
            {index > 0 && <Icon name="next" />}
            <span>{channelName(channel)}</span>
            <small>{status ? statusText(status).toLowerCase() : "not tried"}</small>
          </li>
        );
      })}
    </ol>
  );
}

function facts(verification: Verification, { application, now }: PageRequest) {
  const { id, requestId, wrongCodes, customOtp, createdAt, concludedAt, expiresAtMilliseconds, status } = verification;
  const expiry = isoInstant(expiresAtMilliseconds);
  const expires = status === "PENDING" ? <Countdown until={expiry} now={now} /> : <Instant at={expiry} now={now} />;
  const wrong = `${wrongCodes} of ${application.settings.maxConfirmationAttempts}`;
  return [
    ["Wrong codes", customOtp ? "checked by the caller" : wrong],
    ["Expires", customOtp ? "never" : expires],
    ["Created", <Instant at={createdAt} now={now} />],
    ["Ended", concludedAt === undefined ? "not yet" : <Instant at={concludedAt} now={now} />],
    ["verification_id", copiedId(id)],
    ["request_id", copiedId(requestId)],
  ] as const;
}

function copiedId(text: string): Html {
  return (
    <span class="id">
      <code>{text}</code> <CopyButton text={text} label="the id" />
    </span>
  );
}

function messagesOf(state: State, { messageIds }: Verification): readonly Message[] {
  return messageIds.flatMap((id) => state.messages.get(id) ?? []);
}

/** Returns channels, codes, webhooks and faults by their instant. Entries of the same instant keep their order. */
function verificationTimeline(state: State, verification: Verification): readonly TimelineEntry[] {
  const { id, applicationId, messageIds, confirmations } = verification;
  const messages = messagesOf(state, verification);
  const subjects = new Set([id, ...messageIds]);
  const isRelated = ({ subjectId }: Delivery | Firing) => subjectId !== undefined && subjects.has(subjectId);
  const entries = [
    createdEntry(verification),
    ...messages.flatMap(messageEntries),
    ...messages.flatMap((message, index) => timeOutEntry(message, messages[index + 1])),
    ...confirmations.flatMap(confirmationEntry),
    ...endEntry(verification),
    ...state.firings.list(applicationId).filter(isRelated).reverse().map(firingEntry),
    ...state.deliveries.list(applicationId).filter(isRelated).flatMap(deliveryEntries),
  ];
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
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

const ends: Readonly<Record<Exclude<VerificationStatus, "PENDING">, readonly [IconName, string]>> = {
  APPROVED: ["check", "Approved: the right code was confirmed"],
  EXPIRED: ["clock", "Expired"],
  FAILED: ["cross", "Failed"],
};

function endEntry({ status, concludedAt }: Verification): readonly TimelineEntry[] {
  if (concludedAt === undefined || status === "PENDING") return [];
  const [icon, text] = ends[status];
  return [{ at: concludedAt, tone: toneOf(status), icon, text }];
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
