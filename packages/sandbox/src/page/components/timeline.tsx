import type { Html } from "./elements.tsx";
import { Icon, type IconName } from "./icon.tsx";
import type { Tone } from "./status.tsx";
import { Instant } from "./status.tsx";

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

/** Sorts entries by their instant. Entries of the same instant keep their order. */
export function inOrder(entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Shows a list of events with their instants. */
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
