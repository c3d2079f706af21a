import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { HtmlEscapedString } from "hono/utils/html";

/** The output of a component. All text from outside is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The output of a component that shows nothing. */
export const nothing: Html = raw("");

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly lead?: Child;
  /** Stands beside the title. */
  readonly aside?: Child;
  /** The note in place of the content. */
  readonly empty?: string;
  readonly children?: Child;
}

/** A section of a page with a heading. */
export function Card({ id, title, lead, aside, empty, children }: CardProps): Html {
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
        {lead && <p class="lead">{lead}</p>}
      </header>
      {empty !== undefined && <EmptyNote>{empty}</EmptyNote>}
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

/** Shows a note in place of an empty list. */
export function EmptyNote({ children }: { readonly children: Child }): Html {
  return <p class="empty">{children}</p>;
}
