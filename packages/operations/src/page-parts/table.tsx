import type { Child } from "hono/jsx";
import { EmptyNote, type Html } from "./elements.tsx";

interface TableProps {
  readonly label: string;
  /** The headings. Those of columns with figures begin with `#`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
  /** The note in place of a table without rows. */
  readonly empty?: string;
}

/** Shows a table. The first cell of a row names it. */
export function Table({ label, columns, rows, empty }: TableProps): Html {
  if (rows.length === 0 && empty !== undefined) return <EmptyNote>{empty}</EmptyNote>;
  const isAmount = (index: number) => columns[index]?.startsWith("#");
  const classOf = (index: number) => (isAmount(index) ? "amount" : undefined);
  return (
    // It scrolls on a phone, so a keyboard must reach it.
    <section class="table" tabindex={0} aria-label={`${label}, as a table`}>
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th scope="col" class={classOf(index)}>
                {column.replace(/^#/, "")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map((cell, index) => (
                <td class={classOf(index + 1)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
