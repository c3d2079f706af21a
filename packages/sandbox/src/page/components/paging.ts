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
 * @param cursorOf - returns the cursor of an item.
 * @param before - cursor of the last item on the previous page. An unknown cursor gives the first page.
 */
export function pageOf<Item>(
  newestFirst: readonly Item[],
  cursorOf: (item: Item) => string,
  size: number,
  before: string | undefined,
): Page<Item> {
  const next = newestFirst.findIndex((item) => cursorOf(item) === before) + 1;
  const start = next < newestFirst.length ? next : 0;
  const items = newestFirst.slice(start, start + size);
  const last = items.at(-1);
  return { items, older: last && start + size < newestFirst.length ? cursorOf(last) : undefined };
}
