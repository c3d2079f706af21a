import type { Html } from "../html.ts";
import { Instant } from "../instant.tsx";
import { Icon, type IconName } from "./icon.tsx";
import type { Tone } from "./status.tsx";

/** Something that happened, at its instant. */
export interface TimelineEntry {
  /** ISO, on the clock of the application. */
  readonly at: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly text: string;
  readonly detail?: string | undefined;
  /** Where there is more of it. */
  readonly href?: string | undefined;
}

/** The entries by their instant; those of one instant stay as they are. */
export function inOrder(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Shows what happened, one below the other. */
export function Timeline({
  entries,
  label,
}: {
  readonly entries: readonly TimelineEntry[];
  readonly label: string;
}): Html {
  return (
    <ol class="timeline" aria-label={label}>
      {entries.map(({ at, tone, icon, text, detail, href }) => (
        <li class={tone}>
          <span class="sign">
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
