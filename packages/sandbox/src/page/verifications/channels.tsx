import { type Channel, lastStep, type MessageStatus } from "../../state/message.ts";
import type { State } from "../../state/state.ts";
import type { Verification } from "../../state/verification.ts";
import type { Html } from "../components/elements.tsx";
import { Icon } from "../components/icon.tsx";
import { channelName, statusText, toneOf } from "../components/status.tsx";

/** A channel of a verification. */
export interface ChannelProgress {
  readonly channel: Channel;
  readonly status: MessageStatus | undefined;
}

/** Returns the channels of a verification in their order, each with its status. */
export function progressOf(
  { messages }: Pick<State, "messages">,
  { channels, messageIds }: Verification,
): readonly ChannelProgress[] {
  return channels.map((channel, index) => {
    const message = messages.get(messageIds[index] ?? "");
    return { channel, status: message && lastStep(message).status };
  });
}

/** Shows the channels of a verification in their order, each with its status. */
export function ChannelChain({ channels }: { readonly channels: readonly ChannelProgress[] }): Html {
  return (
    <ol class="chain" aria-label="Channels">
      {channels.map(({ channel, status }, index) => (
        <li class={status ? toneOf(status) : "untried"}>
          {index > 0 && <Icon name="next" />}
          <span>{channelName(channel)}</span>
          <small>{status ? statusText(status).toLowerCase() : "not tried"}</small>
        </li>
      ))}
    </ol>
  );
}
