import { type Html, Icon, type IconName, PostButton, Status, type Tone } from "@doorcode/operations/page-parts";
import type { WebhookEndpoint } from "../../state/application.ts";
import type { DeliveryStage } from "../../state/delivery.ts";
import type { Channel, channels } from "../../state/message.ts";
import { instantText, leftText } from "../browser/time-text.ts";

const tones: Readonly<Record<string, Tone>> = {
  SENT: "busy",
  DELIVERED: "good",
  FAILED: "bad",
  PENDING: "busy",
  APPROVED: "good",
  EXPIRED: "warn",
};

/** Returns the tone of a status of a message or a verification. */
export function toneOf(status: string): Tone {
  return tones[status] ?? "quiet";
}

/** Formats a status of the API: `DELIVERED` becomes `Delivered`. */
export function statusText(status: string): string {
  return status.charAt(0) + status.slice(1).toLowerCase();
}

/** The label of each stage of a delivery. It differs from the statuses of messages, such as `DELIVERED`. */
export const deliveryTexts: Readonly<Record<DeliveryStage, string>> = {
  sending: "Sending",
  retrying: "Retrying",
  delivered: "Acknowledged",
  failed: "Given up",
};

type KnownChannel = (typeof channels)[number];

/** The display names of the channels. */
export const channelNames: Readonly<Record<KnownChannel, string>> = {
  SMS: "SMS",
  WHATSAPP: "WhatsApp",
  VIBER: "Viber",
  TELEGRAM: "Telegram",
  VOICE: "Voice",
};

function isKnown(channel: Channel): channel is KnownChannel {
  return Object.hasOwn(channelNames, channel);
}

/** Returns the display name of a channel. */
export function channelName(channel: Channel): string {
  return isKnown(channel) ? channelNames[channel] : channel;
}

/** Shows a channel as a coloured tag. */
export function ChannelTag({ channel }: { readonly channel: Channel }): Html {
  return <span class={`channel ${isKnown(channel) ? channel.toLowerCase() : "other"}`}>{channelName(channel)}</span>;
}

/** In the time zone of this process. The reader's is the same, because the page is for the same machine. */
const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

interface InstantProps {
  readonly at: string;
  readonly now?: number;
  readonly precise?: boolean;
}

/** Shows the time of day of an instant, and the complete instant as a tooltip. */
export function Instant({ at, now, precise = false }: InstantProps): Html {
  const date = new Date(at);
  const fraction = precise ? `.${String(date.getUTCMilliseconds()).padStart(3, "0")}` : "";
  return (
    <time datetime={at} title={`${dateAndTime.format(date)} (${at})`}>
      {instantText(date.getTime(), now)}
      {fraction}
    </time>
  );
}

/** Shows the time until an instant. The page's script updates it at the rate of the application's clock. */
export function Countdown({ until, now }: { readonly until: string; readonly now: number }): Html {
  return (
    <time class="countdown" datetime={until} data-countdown={until}>
      {leftText(Date.parse(until) - now)}
    </time>
  );
}

interface EndpointHealthProps {
  readonly endpoint: WebhookEndpoint;
  /** The path of the forms of the endpoint. */
  readonly path: string;
  readonly now: number;
}

/** Shows whether an endpoint works, and since when it has been failing. A disabled endpoint has a button that enables it. */
export function EndpointHealth({ endpoint: { url, status, failingSince }, path, now }: EndpointHealthProps): Html {
  const isFailing = failingSince !== undefined;
  return (
    <>
      {status === "disabled" ? (
        <Status tone="bad">Disabled</Status>
      ) : (
        <Status tone={isFailing ? "warn" : "good"}>{isFailing ? "Failing" : "Healthy"}</Status>
      )}
      <code class="text url">{url}</code>
      {isFailing && (
        <span class="soft">
          failing since <Instant at={failingSince} now={now} />
        </span>
      )}
      {status === "disabled" && <PostButton action={`${path}/enable`} label="Enable" />}
    </>
  );
}

/** An entry of a timeline. */
export interface TimelineEntry {
  /** ISO instant on the application's clock. */
  readonly at: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
  readonly detail?: string | undefined;
  readonly href?: string | undefined;
}

interface TimelineProps {
  readonly entries: readonly TimelineEntry[];
  readonly label: string;
}

/** Shows a list of events with their instants. */
export function Timeline({ entries, label }: TimelineProps): Html {
  return (
    <ol class="timeline" aria-label={label}>
      {entries.map(({ at, tone, icon, text, detail, href }) => (
        <li class={tone}>
          <span class="marker">
            <Icon name={icon} />
          </span>
          <p>
            {href === undefined ? text : <a href={href}>{text}</a>}
            {detail !== undefined && <span class="detail">{detail}</span>}
          </p>
          <Instant at={at} precise />
        </li>
      ))}
    </ol>
  );
}
