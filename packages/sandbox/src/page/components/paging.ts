/** One page of a list. */
export interface Page<Item> {
  /** The items of this page, the newest first. */
  readonly items: readonly Item[];
  /** The cursor of the next page, with older items; undefined on the last page. */
  readonly older: string | undefined;
}

/**
 * Returns one page of a list. It reads no more items than it needs.
 *
 * @param cursorOf - returns the cursor of an item.
 * @param before - cursor of the last item on the previous page. An unknown cursor gives the first page.
 */
export function pageOf<Item>(
  newestFirst: () => Iterable<Item>,
  cursorOf: (item: Item) => string,
  size: number,
  before: string | undefined,
): Page<Item> {
  const page = before === undefined ? undefined : take(after(newestFirst(), cursorOf, before), size);
  const items = page && page.length > 0 ? page : take(newestFirst(), size);
  const last = items[size - 1];
  const hasMore = items.length > size && last !== undefined;
  return { items: items.slice(0, size), older: hasMore ? cursorOf(last) : undefined };
}

/** Takes one item more than the size, which shows whether there is another page. */
function take<Item>(source: Iterable<Item>, size: number): Item[] {
  const items: Item[] = [];
  for (const item of source) {
    items.push(item);
    if (items.length > size) break;
  }
  return items;
}

function* after<Item>(source: Iterable<Item>, cursorOf: (item: Item) => string, cursor: string): Iterable<Item> {
  let found = false;
  for (const item of source) {
    if (found) yield item;
    else found = cursorOf(item) === cursor;
  }
}

/** Iterates over the matching items. */
export function* filter<Item>(source: Iterable<Item>, matches: (item: Item) => boolean): Iterable<Item> {
  for (const item of source) if (matches(item)) yield item;
}
