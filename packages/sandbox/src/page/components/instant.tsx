import { instantText, leftText } from "../browser/time-text.ts";
import type { Html } from "./html.ts";

/** In the time zone of this process. The reader's is the same, because the page is for the same machine. */
const dateAndTime = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** The properties of {@link Instant}. */
export interface InstantProps {
  /** ISO instant. */
  readonly at: string;
  /** Now, in Unix milliseconds on the application's clock. With it, the day is shown unless it is today. */
  readonly now?: number;
  /** Shows milliseconds. */
  readonly precise?: boolean;
}

/** Shows the time of day of an instant, and the complete instant as a tooltip. */
export function Instant({ at, now, precise = false }: InstantProps): Html {
  const date = new Date(at);
  const fraction = precise ? `.${String(date.getUTCMilliseconds()).padStart(3, "0")}` : "";
  return (
    <time datetime={at} title={`${dateAndTime.format(date)} (${at})`}>
      {instantText(date.getTime(), now)}
      {fraction && <span class="fraction">{fraction}</span>}
    </time>
  );
}

/** The properties of {@link Countdown}. */
export interface CountdownProps {
  /** ISO instant on the application's clock. */
  readonly until: string;
  /** Now, in Unix milliseconds on that clock. */
  readonly now: number;
}

/** Shows the time until an instant. The page's script updates it at the rate of the application's clock. */
export function Countdown({ until, now }: CountdownProps): Html {
  return (
    <time class="countdown" datetime={until} data-countdown={until}>
      {leftText(Date.parse(until) - now)}
    </time>
  );
}
