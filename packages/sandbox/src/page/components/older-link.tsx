import { type Html, nothing } from "@doorcode/operations/page-parts";

/** Links to the next page of a list, if there is one. */
export function OlderLink({ href, items }: { readonly href: string | undefined; readonly items: string }): Html {
  if (href === undefined) return nothing;
  return (
    <p class="older">
      <a href={href} class="button">
        Older {items}
      </a>
    </p>
  );
}
