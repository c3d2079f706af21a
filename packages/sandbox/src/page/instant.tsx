import type { Html } from "./html.ts";

/** The sandbox and its page run on the same machine, so its time zone is the reader's. */
const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** What {@link Instant} shows. */
export interface InstantProps {
  /** ISO. */
  readonly at: string;
  /** Now, on the clock of the application, in Unix milliseconds: another day is named. */
  readonly now?: number;
  /** With milliseconds. */
  readonly precise?: boolean;
}

/** Shows an instant as the time of day, and as a whole to whoever asks. */
export function Instant({ at, now, precise = false }: InstantProps): Html {
  const date = new Date(at);
  const day = now !== undefined && !isSameDay(date, new Date(now)) ? `${dayAndMonth.format(date)}, ` : "";
  const fraction = precise ? `.${String(date.getUTCMilliseconds()).padStart(3, "0")}` : "";
  return (
    <time datetime={at} title={`${whole.format(date)} (${at})`}>
      {`${day}${timeOfDay.format(date)}`}
      {fraction && <span class="fraction">{fraction}</span>}
    </time>
  );
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString();
}
