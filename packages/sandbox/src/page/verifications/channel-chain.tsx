import { channelName } from "../components/channel.tsx";
import type { Html } from "../components/html.ts";
import { Icon } from "../components/icon.tsx";
import { statusText, toneOf } from "../components/status.tsx";
import type { ChannelProgress } from "./verification-query.ts";

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
