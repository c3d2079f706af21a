import type { Occurrence } from "../figures/figures.ts";
import type { Html } from "../page-parts.ts";
import { agoText, countText, runText, secondText } from "./format.ts";

/**
 * Shows when something happened in a column of instants in UTC, a line for each run, the newest first: from when until when, and how often.
 * The newest says how long ago it was, and what is older than these runs is one line.
 */
export function RunLines({ of, now }: { readonly of: Occurrence; readonly now: number }): Html {
  const runs = of.runs.toReversed();
  const before = of.count - runs.reduce((sum, { count }) => sum + count, 0);
  return (
    <ul class="lines">
      {runs.map((run, index) => (
        <li>{runText(run, now) + (index === 0 ? `, ${agoText(run.until, now)}` : "")}</li>
      ))}
      {before > 0 && <li>{`${countText(before)} before, from ${secondText(of.first, now)}`}</li>}
    </ul>
  );
}
