import { isoInstant } from "../../state/record.ts";
import { durationText } from "../browser/time-text.ts";
import { CopyBlock, PostButton } from "../components/controls.tsx";
import { type Html, nothing } from "../components/elements.tsx";
import { Icon } from "../components/icon.tsx";
import { applicationPath } from "../components/paths.ts";
import { Instant } from "../components/status.tsx";
import type { ClockState, LayoutData, Notice } from "./layout-data.ts";

/** Shows on every page that the clock is not real or that faults are active. */
export function Banner({ layout }: { readonly layout: LayoutData }): Html {
  const { application, clock, faults } = layout;
  if (clock.isReal && faults === 0) return nothing;
  const clockPage = applicationPath(application.id, "clock");
  return (
    <aside class="banner" aria-label="Unusual conditions">
      {!clock.isReal && (
        <p>
          <Icon name={clock.rate === 0 ? "snow" : "clock"} />
          <span>
            <a href={clockPage}>{clockText(clock)}</a> <ClockNow clock={clock} />
          </span>
        </p>
      )}
      {faults > 0 && (
        <p>
          <Icon name="bolt" />
          <a href={`${clockPage}#faults`}>{faults === 1 ? "1 fault is on" : `${faults} faults are on`}</a>
          <PostButton
            action={applicationPath(application.id, "faults", "remove")}
            label="Switch all off"
            look="quiet"
          />
        </p>
      )}
    </aside>
  );
}

function clockText({ rate, nowMilliseconds, machineMilliseconds }: ClockState): string {
  if (rate === 0) return "The clock is frozen";
  if (rate !== 1) return `The clock runs ${rate} times as fast`;
  const ahead = nowMilliseconds - machineMilliseconds;
  return `The clock is ${durationText(Math.abs(ahead))} ${ahead < 0 ? "behind" : "ahead"}`;
}

/** Shows the time of the application's clock. The page's script lets it run. */
export function ClockNow({ clock }: { readonly clock: ClockState }): Html {
  return (
    <span class="clock-now" data-clock-now>
      <Instant at={isoInstant(clock.nowMilliseconds)} now={clock.machineMilliseconds} />
    </span>
  );
}

/** Shows the result of the previous form until it is closed. A secret in it is never shown again. */
export function NoticeBox({ notice }: { readonly notice: Notice | undefined }): Html {
  if (!notice) return nothing;
  const { kind, text, lines = [], secret } = notice;
  return (
    <div class={`notice ${kind}`} id="notice" role={kind === "problem" ? "alert" : "status"} data-stays>
      <Icon name={kind === "done" ? "check" : "warning"} />
      <div>
        <p>{text}</p>
        {lines.length > 0 && (
          <ul>
            {lines.map((line) => (
              <li>{line}</li>
            ))}
          </ul>
        )}
        {secret !== undefined && <CopyBlock text={secret} label="the secret" />}
      </div>
      <button type="button" class="bare" data-close="notice" aria-label="Close" title="Close">
        <Icon name="cross" />
      </button>
    </div>
  );
}
