import type { Child } from "hono/jsx";
import type { Html } from "./html.ts";

/** The properties of {@link Card}. */
export interface CardProps {
  /** The id of the element, which links can point to. */
  readonly id: string;
  /** The heading. */
  readonly title: string;
  /** An introduction below the heading. */
  readonly lead?: Child;
  /** Shown to the right of the heading. */
  readonly aside?: Child;
  /** The content. */
  readonly children?: Child;
}

/** A section of a page with a heading. */
export function Card({ id, title, lead, aside, children }: CardProps): Html {
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {aside && <div class="aside">{aside}</div>}
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

/** Shows a note in place of an empty list. */
export function EmptyNote({ children }: { readonly children: Child }): Html {
  return <p class="empty">{children}</p>;
}
