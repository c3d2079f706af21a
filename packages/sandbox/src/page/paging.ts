/** Some of many records, and where to go on. */
export interface Paged<Item> {
  readonly items: readonly Item[];
  /** What `before` is for the next page; undefined when there is none. */
  readonly older: string | undefined;
}

/**
 * Takes a page out of records that come the newest first, and looks at no more of them than it needs.
 *
 * @param before - the place after which the page begins: what `placeOf` says of the last record of the page before. One
 * that is not there any more gives the first page.
 */
export function pageOf<Item>(
  newestFirst: () => Iterable<Item>,
  placeOf: (item: Item) => string,
  size: number,
  before: string | undefined,
): Paged<Item> {
  const page = before === undefined ? undefined : take(after(newestFirst(), placeOf, before), size);
  const items = page && page.length > 0 ? page : take(newestFirst(), size);
  const last = items[size - 1];
  const more = items.length > size && last !== undefined;
  return { items: items.slice(0, size), older: more ? placeOf(last) : undefined };
}

/** One more than the size tells whether there are more. */
function take<Item>(source: Iterable<Item>, size: number): Item[] {
  const items: Item[] = [];
  for (const item of source) {
    items.push(item);
    if (items.length > size) break;
  }
  return items;
}

function* after<Item>(source: Iterable<Item>, placeOf: (item: Item) => string, place: string): Iterable<Item> {
  let found = false;
  for (const item of source) {
    if (found) yield item;
    else found = placeOf(item) === place;
  }
}

/** Leaves out what does not match. */
export function* filtered<Item>(source: Iterable<Item>, matches: (item: Item) => boolean): Iterable<Item> {
  for (const item of source) if (matches(item)) yield item;
}
