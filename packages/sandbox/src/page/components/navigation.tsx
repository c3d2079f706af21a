import { type Html, nothing } from "./html.ts";
import { Icon } from "./icon.tsx";

/** Links to the list that a page belongs to. The Escape key does the same. */
export function BackLink({ href, label }: { readonly href: string; readonly label: string }): Html {
  return (
    <a class="button bare" href={href} id="back" aria-label={label} title={label}>
      <Icon name="back" />
    </a>
  );
}

/** Links to the next page of a list, if there is one. */
export function OlderLink({ href, items }: { readonly href: string | undefined; readonly items: string }): Html {
  if (href === undefined) return nothing;
  return (
    <p class="older">
      <a href={href} class="button quiet">
        Older {items}
      </a>
    </p>
  );
}
