import type { Occurrence } from "../figures/figures.ts";
import type { Html } from "../page-parts.ts";
import { runLines } from "./format.ts";

/** Shows when something happened in the cell of a table. */
export function RunLines({ of, now }: { readonly of: Occurrence; readonly now: number }): Html {
  return (
    <ul class="lines">
      {runLines(of, now).map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
