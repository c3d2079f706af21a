import type { Delivery } from "../../state/delivery.ts";
import type { Firing } from "../../state/fault.ts";
import { type Channel, lastStep, type Message, type MessageStatus } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import type { Verification } from "../../state/verification.ts";
import { filtered, type Paged, pageOf } from "../paging.ts";

const verificationsShown = 50;

/** A channel of a verification, and how far it came: undefined when it was not tried. */
export interface ChannelProgress {
  readonly channel: Channel;
  readonly status: MessageStatus | undefined;
}

/** A verification in the list. */
export interface VerificationRow {
  readonly verification: Verification;
  readonly channels: readonly ChannelProgress[];
}

/** What the list of verifications shows. */
export interface VerificationsView {
  readonly applicationId: string;
  readonly search: string;
  readonly total: number;
  readonly page: Paged<VerificationRow>;
}

/** Where verifications are read from. */
export type VerificationSource = Pick<State, "messages" | "verifications" | "deliveries" | "firings">;

/** Picks the verifications of an application, the newest first. */
export function verificationsView(
  state: VerificationSource,
  applicationId: string,
  { search, before }: { readonly search: string; readonly before: string | undefined },
): VerificationsView {
  const matches = ({ recipient, code, id }: Verification) =>
    recipient.includes(search) || code === search || id === search;
  const newestFirst = () => filtered(state.verifications.newestFirst(applicationId), matches);
  const { items, older } = pageOf(newestFirst, ({ id }) => id, verificationsShown, before);
  return {
    applicationId,
    search,
    total: state.verifications.count(applicationId),
    page: { items: items.map((verification) => ({ verification, channels: progressOf(state, verification) })), older },
  };
}

/** What the page of one verification shows. */
export interface VerificationView {
  readonly verification: Verification;
  readonly channels: readonly ChannelProgress[];
  /** In the order in which they were tried; one that was deleted is missing. */
  readonly messages: readonly Message[];
  readonly deliveries: readonly Delivery[];
  readonly firings: readonly Firing[];
}

/** Gathers all that belongs to a verification; undefined when the application has none of this id. */
export function verificationView(
  state: VerificationSource,
  applicationId: string,
  id: string,
): VerificationView | undefined {
  const verification = state.verifications.get(id);
  if (verification?.applicationId !== applicationId) return undefined;
  const subjects = new Set([id, ...verification.messageIds]);
  return {
    verification,
    channels: progressOf(state, verification),
    messages: verification.messageIds
      .map((messageId) => state.messages.get(messageId))
      .filter((message) => message !== undefined),
    deliveries: [...filtered(state.deliveries.newestFirst(applicationId), ({ subjectId }) => subjects.has(subjectId))],
    firings: [
      ...filtered(
        state.firings.newestFirst(applicationId),
        ({ subjectId }) => subjectId !== undefined && subjects.has(subjectId),
      ),
    ],
  };
}

function progressOf(state: VerificationSource, { channels, messageIds }: Verification): readonly ChannelProgress[] {
  return channels.map((channel, index) => {
    const message = state.messages.get(messageIds[index] ?? "");
    return { channel, status: message && lastStep(message).status };
  });
}
