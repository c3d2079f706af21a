import { leftText } from "./browser/duration-text.ts";
import type { Html } from "./html.ts";

/** What {@link Countdown} shows. */
export interface CountdownProps {
  /** ISO instant on the clock of the application. */
  readonly until: string;
  /** Now, on that clock, in Unix milliseconds. */
  readonly now: number;
}

/** Counts down to an instant; the page's script lets it tick as fast as the application's clock goes. */
export function Countdown({ until, now }: CountdownProps): Html {
  return (
    <time class="countdown" datetime={until} data-countdown={until}>
      {leftText(Date.parse(until) - now)}
    </time>
  );
}
