/** Records in memory, in the order in which they were added, grouped by owner. */
export interface OrderedRecords<Item> {
  /** Returns a record; undefined when there is none with this id. */
  get(id: string): Item | undefined;
  /** Adds the record, or replaces the one with its id in the same position. Returns true for a new record. */
  set(item: Item): boolean;
  /** Lists the records of an owner, the oldest first. */
  list(ownerId: string): readonly Item[];
  /** Iterates over the records of an owner, the oldest first. */
  oldestFirst(ownerId: string): Iterable<Item>;
  /** Iterates over the records of an owner, the newest first. Records may be removed meanwhile. */
  newestFirst(ownerId: string): Iterable<Item>;
  /** Counts the records of an owner. */
  count(ownerId: string): number;
  /** Removes all records of an owner. */
  deleteAll(ownerId: string): void;
}

/** Records that can be removed one by one. */
export interface RemovableRecords<Item> extends OrderedRecords<Item> {
  /** Removes a record and returns it; undefined when there is none with this id. */
  delete(id: string): Item | undefined;
  /** Iterates over the records of all owners. */
  all(): Iterable<Item>;
}

/** Creates an empty set of records, which are kept as the objects that they are. */
export function createOrderedRecords<Item extends { readonly id: string }>(
  ownerOf: (item: Item) => string,
): RemovableRecords<Item> {
  const items = new Map<string, Item>();
  // A map keeps the position of a key whose value is replaced.
  const rows = new Map<string, Map<string, Item>>();
  const rowOf = (ownerId: string) => rows.get(ownerId) ?? new Map<string, Item>();

  return {
    get: (id) => items.get(id),
    set(item) {
      const isNew = !items.has(item.id);
      items.set(item.id, item);
      const row = rowOf(ownerOf(item));
      row.set(item.id, item);
      rows.set(ownerOf(item), row);
      return isNew;
    },
    list: (ownerId) => [...rowOf(ownerId).values()],
    oldestFirst: (ownerId) => rowOf(ownerId).values(),
    *newestFirst(ownerId) {
      for (const id of [...rowOf(ownerId).keys()].reverse()) {
        const item = items.get(id);
        if (item) yield item;
      }
    },
    count: (ownerId) => rowOf(ownerId).size,
    deleteAll(ownerId) {
      for (const id of rowOf(ownerId).keys()) items.delete(id);
      rows.delete(ownerId);
    },
    delete(id) {
      const item = items.get(id);
      if (!item) return undefined;
      items.delete(id);
      rowOf(ownerOf(item)).delete(id);
      return item;
    },
    all: () => items.values(),
  };
}
