import type { Channel } from "../../state/message.ts";
import type { Html } from "../html.ts";

const names: Readonly<Record<string, string>> = {
  SMS: "SMS",
  WHATSAPP: "WhatsApp",
  VIBER: "Viber",
  TELEGRAM: "Telegram",
  VOICE: "Voice",
};

/** The name of a channel as people write it. */
export function channelName(channel: Channel): string {
  return Object.hasOwn(names, channel) ? (names[channel] ?? channel) : channel;
}

/** A channel as a tag in its colour. */
export function ChannelTag({ channel }: { readonly channel: Channel }): Html {
  const known = Object.hasOwn(names, channel) ? channel.toLowerCase() : "other";
  return <span class={`channel ${known}`}>{channelName(channel)}</span>;
}
