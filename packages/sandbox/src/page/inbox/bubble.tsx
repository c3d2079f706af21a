import { encodingOf } from "../../service/segments.ts";
import type { Message, MessageStatus, MessageStep } from "../../state/message.ts";
import { ChannelTag, channelName } from "../components/channel.tsx";
import { CodeChip } from "../components/copy-button.tsx";
import { PostButton } from "../components/form-fields.tsx";
import { type Html, nothing } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import { Instant } from "../components/instant.tsx";
import { applicationPath, threadPath } from "../components/paths.ts";
import { statusText, toneOf } from "../components/status.tsx";
import { OriginBoundNote } from "./origin-bound-note.tsx";
import { Highlight } from "./search.tsx";

/** The properties of {@link Bubble}. */
export interface BubbleProps {
  /** The message. */
  readonly message: Message;
  /** The search text to highlight. */
  readonly search: string;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly now: number;
  /** Shows the number, for a list with messages to several numbers. */
  readonly withNumber: boolean;
}

/** Shows a message as on a phone, with its statuses below. */
export function Bubble({ message, search, now, withNumber }: BubbleProps): Html {
  const { id, applicationId, channel, text, code, timeline } = message;
  return (
    <li class="message" id={id} data-message={id} tabindex={-1}>
      <Head message={message} now={now} withNumber={withNumber} />
      <div class={`bubble ${channel.toLowerCase()}`}>
        <p class="text">
          <Highlight text={text} search={search} />
        </p>
        {code !== undefined && <CodeChip code={code} />}
        <OriginBoundNote message={message} />
      </div>
      <footer class="message-foot">
        <StatusSteps timeline={timeline} />
        <span class="push" />
        <span class="soft">{sizeText(message)}</span>
        {message.verificationId !== undefined && (
          <a class="soft" href={applicationPath(applicationId, "verifications", message.verificationId)}>
            Verification
          </a>
        )}
      </footer>
    </li>
  );
}

function Head({ message, now, withNumber }: Omit<BubbleProps, "search">): Html {
  const { id, applicationId, to, channel, timeline } = message;
  return (
    <div class="message-head">
      {withNumber && (
        <>
          <a href={threadPath(applicationId, message)} class="number" id={`of-${id}`}>
            {to}
          </a>
          <ChannelTag channel={channel} />
        </>
      )}
      <SenderName message={message} />
      <span class="push" />
      <Instant at={timeline[0].at} now={now} />
      <PostButton
        action={`${applicationPath(applicationId, "messages", id)}/delete`}
        label={`Delete the message to ${to}`}
        icon="trash"
        bare
      />
    </div>
  );
}

function sizeText({ channel, segments, text }: Message): string {
  if (channel !== "SMS") return channelName(channel);
  return `${segments} ${segments === 1 ? "segment" : "segments"} · ${encodingOf(text)}`;
}

function SenderName({ message: { sender } }: { readonly message: Message }): Html {
  if (sender === undefined) return nothing;
  const isOneWay = !sender.startsWith("+");
  return (
    <span class="sender">
      from <strong>{sender}</strong>{" "}
      <span
        class="way"
        title={
          isOneWay
            ? "A sender ID is one-way: recipients cannot reply to it."
            : "A rented number can receive replies. Receiving is announced for Q3 2026."
        }
      >
        {isOneWay ? "one-way" : "two-way capable"}
      </span>
    </span>
  );
}

function StatusSteps({ timeline }: { readonly timeline: readonly MessageStep[] }): Html {
  return (
    <ol class="steps" aria-label="Delivery">
      {timeline.map(({ status, at }, index) => (
        <li class={`${toneOf(status)}${index === timeline.length - 1 ? " last" : ""}`}>
          <StatusIcon status={status} />
          {statusText(status)} <Instant at={at} precise />
        </li>
      ))}
    </ol>
  );
}

function StatusIcon({ status }: { readonly status: MessageStatus }): Html {
  if (status === "FAILED") return <Icon name="cross" />;
  return status === "DELIVERED" ? <Icon name="check" /> : <span class="dot" />;
}
