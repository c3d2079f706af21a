import { type Html, nothing } from "@doorcode/operations/page-parts";

/** Tells whether one of the texts contains the search text, in upper or lower case, or its digits as a page groups them. */
export function matchesSearch(search: string, texts: readonly (string | undefined)[]): boolean {
  const wanted = search.toLowerCase();
  const digits = /^[+\d ]+$/.test(search) ? search.replaceAll(" ", "") : wanted;
  return texts.some((text = "") => text.toLowerCase().includes(wanted) || text.includes(digits));
}

/** One page of a list. */
export interface Page<Item> {
  /** The items of this page, the newest first. */
  readonly items: readonly Item[];
  /** The cursor of the next page, with older items; undefined on the last page. */
  readonly older: string | undefined;
}

/**
 * Returns one page of a list.
 *
 * @param newestFirst - the whole list.
 * @param before - cursor of the last item on the previous page. An unknown cursor gives the first page.
 * @param cursorOf - returns the cursor of an item.
 */
export function pageOf<Item>(
  newestFirst: readonly Item[],
  before: string | undefined,
  cursorOf: (item: Item) => string,
  size = 50,
): Page<Item> {
  const next = newestFirst.findIndex((item) => cursorOf(item) === before) + 1;
  const start = next < newestFirst.length ? next : 0;
  const items = newestFirst.slice(start, start + size);
  const last = items.at(-1);
  return { items, older: last && start + size < newestFirst.length ? cursorOf(last) : undefined };
}

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
