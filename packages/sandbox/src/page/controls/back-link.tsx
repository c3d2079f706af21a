import type { Html } from "../html.ts";
import { Icon } from "./icon.tsx";

/** Leads back to the list that a page belongs to, as the Escape key does. */
export function BackLink({ href, label }: { readonly href: string; readonly label: string }): Html {
  return (
    <a class="button bare" href={href} id="back" aria-label={label} title={label}>
      <Icon name="back" />
    </a>
  );
}
