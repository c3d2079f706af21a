import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import { type Channel, lastStep, type Message, type MessageStatus } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import type { Verification } from "../../state/verification.ts";
import { type Page, pageOf } from "../components/paging.ts";

const maxVerifications = 50;

/** A channel of a verification. */
export interface ChannelProgress {
  /** The channel. */
  readonly channel: Channel;
  /** The status of its message; undefined when the channel was not tried. */
  readonly status: MessageStatus | undefined;
}

/** A verification in the list. */
export interface VerificationRow {
  /** The verification. */
  readonly verification: Verification;
  /** Its channels in their order. */
  readonly channels: readonly ChannelProgress[];
}

/** The content of the list of verifications. */
export interface VerificationsResult {
  /** The application. */
  readonly applicationId: string;
  /** The search text. */
  readonly search: string;
  /** Number of verifications of the application. */
  readonly total: number;
  /** The matching verifications, the newest first. */
  readonly page: Page<VerificationRow>;
}

/** The records that the pages of verifications read. */
export type VerificationSource = Pick<State, "messages" | "verifications" | "deliveries" | "firings">;

/** Selects verifications of an application, the newest first. */
export function queryVerifications(
  state: VerificationSource,
  applicationId: string,
  { search, before }: { readonly search: string; readonly before: string | undefined },
): VerificationsResult {
  const matches = ({ recipient, code, id }: Verification) =>
    recipient.includes(search) || code === search || id === search;
  const newestFirst = state.verifications.list(applicationId).filter(matches).reverse();
  const { items, older } = pageOf(newestFirst, ({ id }) => id, maxVerifications, before);
  return {
    applicationId,
    search,
    total: state.verifications.count(applicationId),
    page: { items: items.map((verification) => ({ verification, channels: progressOf(state, verification) })), older },
  };
}

/** A verification and its related records. */
export interface VerificationResult extends VerificationRow {
  /** The messages of the channels tried so far. */
  readonly messages: readonly Message[];
  /** The webhook deliveries, the newest first. */
  readonly deliveries: readonly Delivery[];
  /** The firings of faults, the newest first. */
  readonly firings: readonly Firing[];
}

/** Finds a verification of an application and its related records; undefined when there is none with this id. */
export function findVerification(
  state: VerificationSource,
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

function progressOf(state: VerificationSource, { channels, messageIds }: Verification): readonly ChannelProgress[] {
  return channels.map((channel, index) => {
    const message = state.messages.get(messageIds[index] ?? "");
    return { channel, status: message && lastStep(message).status };
  });
}
