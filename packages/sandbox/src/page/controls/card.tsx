import type { Child } from "hono/jsx";
import { type Html, nothing } from "../html.ts";

/** What {@link Card} holds. */
export interface CardProps {
  /** Its anchor too. */
  readonly id: string;
  readonly title: string;
  readonly lead?: Child;
  /** At the right of the title. */
  readonly aside?: Child;
  readonly children?: Child;
}

/** A part of a page with a title. */
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

/** A list of facts: name and value. */
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

/** Says that there is nothing, and what would be there. */
export function Empty({ children }: { readonly children: Child }): Html {
  return <p class="empty">{children}</p>;
}

/** A link to what is older, when there is more. */
export function Older({ href, what }: { readonly href: string | undefined; readonly what: string }): Html {
  if (href === undefined) return nothing;
  return (
    <p class="older">
      <a href={href} class="button quiet">
        Older {what}
      </a>
    </p>
  );
}
