import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Occurrence } from "../figures/figures.ts";
import { runLines } from "./format.ts";

/** The output of a component. All text from outside is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The output of a component that shows nothing. */
export const nothing: Html = raw("");

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly lead?: Child;
  readonly children?: Child;
}

/** A section of a page with a heading. */
export function Card({ id, title, lead, children }: CardProps): Html {
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {lead && <p class="lead">{lead}</p>}
      </header>
      {children}
    </section>
  );
}

/** Shows a list of facts, each with a name and a value. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: Child])[] }): Html {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

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

/** Shows a note in place of an empty list. */
export function EmptyNote({ children }: { readonly children: Child }): Html {
  return <p class="empty">{children}</p>;
}

interface TableProps {
  readonly label: string;
  /** The headings. Those of columns with figures begin with `#`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Child[])[];
}

/** Shows a table. The first cell of a row names it. */
export function Table({ label, columns, rows }: TableProps): Html {
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

interface PostButtonProps {
  readonly action: string;
  readonly label: string;
  /** What is acted on, for a screen reader that reads the buttons alone. */
  readonly of?: string;
  readonly look?: "danger" | "primary";
  readonly fields?: Readonly<Record<string, string>>;
}

/** A form that consists of one button. The page asks before it acts. */
export function PostButton({ action, label, of, look, fields = {} }: PostButtonProps): Html {
  return (
    <form method="post" action={action} class="one-button">
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button type="submit" class={look}>
        {label}
        {of && <span class="unseen"> {of}</span>}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly children: Child;
}

/** An input with its label. */
export function Field({ label, children }: FieldProps): Html {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: The input is a child of the label.
    <label class="field">
      <span class="label">{label}</span>
      {children}
    </label>
  );
}

/** A drop-down list. The choices are labels by value. */
export function Select({
  name,
  choices,
}: {
  readonly name: string;
  readonly choices: Readonly<Record<string, string>>;
}): Html {
  return (
    <select name={name}>
      {Object.entries(choices).map(([value, text]) => (
        <option value={value}>{text}</option>
      ))}
    </select>
  );
}
