import type { Channel } from "../../state/message.ts";
import type { Html } from "./html.ts";

const names: Readonly<Record<string, string>> = {
  SMS: "SMS",
  WHATSAPP: "WhatsApp",
  VIBER: "Viber",
  TELEGRAM: "Telegram",
  VOICE: "Voice",
};

/** Returns the display name of a channel. */
export function channelName(channel: Channel): string {
  return Object.hasOwn(names, channel) ? (names[channel] ?? channel) : channel;
}

/** Shows a channel as a coloured tag. */
export function ChannelTag({ channel }: { readonly channel: Channel }): Html {
  const known = Object.hasOwn(names, channel) ? channel.toLowerCase() : "other";
  return <span class={`channel ${known}`}>{channelName(channel)}</span>;
}
