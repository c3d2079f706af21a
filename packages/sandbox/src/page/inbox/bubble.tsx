import { encodingOf } from "../../service/segments.ts";
import type { Message } from "../../state/message.ts";
import { address, threadAddress } from "../address.ts";
import { ChannelTag, channelName } from "../controls/channel.tsx";
import { CodeChip } from "../controls/copy.tsx";
import { PostButton } from "../controls/form.tsx";
import { type Html, nothing } from "../html.ts";
import { Instant } from "../instant.tsx";
import { Marked } from "./marked.tsx";
import { StatusSteps } from "./status-steps.tsx";

/** What {@link Bubble} shows. */
export interface BubbleProps {
  readonly message: Message;
  readonly search: string;
  readonly now: number;
  /** Beside messages of other numbers. */
  readonly withNumber: boolean;
}

/** A message as it stands on a phone, and below it what became of it. */
export function Bubble({ message, search, now, withNumber }: BubbleProps): Html {
  const { id, applicationId, channel, text, code, timeline } = message;
  return (
    <li class="message" id={id} data-message={id} tabindex={-1}>
      <Head message={message} now={now} withNumber={withNumber} />
      <div class={`bubble ${channel.toLowerCase()}`}>
        <p class="text">
          <Marked text={text} search={search} />
        </p>
        {code !== undefined && <CodeChip code={code} />}
      </div>
      <footer class="message-foot">
        <StatusSteps timeline={timeline} />
        <span class="push" />
        <span class="soft">{sizeText(message)}</span>
        {message.verificationId !== undefined && (
          <a class="soft" href={address(applicationId, "verifications", message.verificationId)}>
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
          <a href={threadAddress(applicationId, message)} class="number" id={`of-${id}`}>
            {to}
          </a>
          <ChannelTag channel={channel} />
        </>
      )}
      <SenderName message={message} />
      <span class="push" />
      <Instant at={timeline[0].at} now={now} />
      <PostButton
        action={`${address(applicationId, "messages", id)}/delete`}
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

/** A name is one-way; a number can be replied to, once the service takes inbound messages. */
function SenderName({ message: { sender } }: { readonly message: Message }): Html {
  if (sender === undefined) return nothing;
  const oneWay = !sender.startsWith("+");
  return (
    <span class="sender">
      from <strong>{sender}</strong>{" "}
      <span
        class="way"
        title={
          oneWay
            ? "An alphanumeric sender is one-way: nobody can reply to it."
            : "A rented number is two-way capable. Receiving is announced for Q3 2026."
        }
      >
        {oneWay ? "one-way" : "two-way capable"}
      </span>
    </span>
  );
}
