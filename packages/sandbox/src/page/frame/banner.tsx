import { address } from "../address.ts";
import { durationText } from "../browser/duration-text.ts";
import { PostButton } from "../controls/form.tsx";
import { Icon } from "../controls/icon.tsx";
import { type Html, nothing } from "../html.ts";
import { Instant } from "../instant.tsx";
import type { ClockFace, Frame } from "./frame.ts";

/** Says on every view that something is not as it would be: a clock that is not real, faults that are on. */
export function Banner({ frame }: { readonly frame: Frame }): Html {
  const { application, clock, faults } = frame;
  if (clock.real && faults === 0) return nothing;
  const here = address(application.id, "clock");
  return (
    <aside class="banner" aria-label="Not as usual">
      {!clock.real && (
        <p>
          <Icon name={clock.rate === 0 ? "snow" : "clock"} />
          <span>
            <a href={here}>{paceText(clock)}</a> <ClockNow clock={clock} />
          </span>
        </p>
      )}
      {faults > 0 && (
        <p>
          <Icon name="bolt" />
          <a href={`${here}#faults`}>{faults === 1 ? "1 fault is on" : `${faults} faults are on`}</a>
          <PostButton action={address(application.id, "faults", "remove")} label="Switch all off" look="quiet" />
        </p>
      )}
    </aside>
  );
}

function paceText({ rate, nowMilliseconds, machineMilliseconds }: ClockFace): string {
  if (rate === 0) return "The clock is frozen";
  if (rate !== 1) return `The clock runs ${rate} times as fast`;
  const ahead = nowMilliseconds - machineMilliseconds;
  return `The clock is ${durationText(Math.abs(ahead))} ${ahead < 0 ? "behind" : "ahead"}`;
}

/** Now, on the clock of the application; the script lets it run. */
export function ClockNow({ clock }: { readonly clock: ClockFace }): Html {
  return (
    <span class="clock-now" data-clock-now>
      <Instant at={new Date(clock.nowMilliseconds).toISOString()} now={clock.machineMilliseconds} />
    </span>
  );
}
