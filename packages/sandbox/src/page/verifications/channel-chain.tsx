import { channelName } from "../controls/channel.tsx";
import { Icon } from "../controls/icon.tsx";
import { statusWord, toneOf } from "../controls/status.tsx";
import type { Html } from "../html.ts";
import type { ChannelProgress } from "./verification-view.ts";

/** The channels of a verification in their order, each with how far it came. */
export function ChannelChain({ channels }: { readonly channels: readonly ChannelProgress[] }): Html {
  return (
    <ol class="chain" aria-label="Channels">
      {channels.map(({ channel, status }, index) => (
        <li class={status ? toneOf(status) : "untried"}>
          {index > 0 && <Icon name="next" />}
          <span>{channelName(channel)}</span>
          <small>{status ? statusWord(status).toLowerCase() : "not tried"}</small>
        </li>
      ))}
    </ol>
  );
}
