/** Records in memory, in the order in which they were added, grouped by owner. */
export interface OrderedRecords<Item> {
  /** Returns a record; undefined when there is none with this id. */
  get(id: string): Item | undefined;
  /** Adds the record, or replaces the one with its id in the same position. Returns true for a new record. */
  set(item: Item): boolean;
  /** Removes a record and returns it; undefined when there is none with this id. */
  delete(id: string): Item | undefined;
  /** Lists the records of an owner, the oldest first. */
  list(ownerId: string): readonly Item[];
  /** Iterates over the records of an owner, the newest first. Records may be removed meanwhile. */
  newestFirst(ownerId: string): Iterable<Item>;
  /** Counts the records of an owner. */
  count(ownerId: string): number;
  /** Iterates over the records of all owners. */
  all(): Iterable<Item>;
  /** Removes all records of an owner and returns them. */
  deleteAll(ownerId: string): readonly Item[];
}

/** The position of a record among those of its owner. It is empty after the record was removed. */
interface Slot<Item> {
  item: Item | undefined;
}

/** The records of one owner. Empty slots are dropped when most are empty, so that removing one by one stays cheap. */
interface Row<Item> {
  slots: Slot<Item>[];
  empty: number;
}

/** Creates an empty set of records. */
export function createOrderedRecords<Item extends { readonly id: string }>(
  ownerOf: (item: Item) => string,
): OrderedRecords<Item> {
  const slots = new Map<string, Slot<Item>>();
  const rows = new Map<string, Row<Item>>();
  const rowOf = (ownerId: string) => rows.get(ownerId) ?? { slots: [], empty: 0 };

  return {
    get: (id) => slots.get(id)?.item,
    set(item) {
      const known = slots.get(item.id);
      if (known) {
        known.item = item;
        return false;
      }
      const [slot, row] = [{ item }, rowOf(ownerOf(item))];
      row.slots.push(slot);
      rows.set(ownerOf(item), row);
      slots.set(item.id, slot);
      return true;
    },
    delete(id) {
      const slot = slots.get(id);
      if (!slot?.item) return undefined;
      const { item } = slot;
      const row = rowOf(ownerOf(item));
      slot.item = undefined;
      slots.delete(id);
      row.empty++;
      if (row.empty > row.slots.length / 2) compact(row);
      return item;
    },
    list: (ownerId) => itemsOf(rowOf(ownerId)),
    newestFirst: (ownerId) => backwards(rowOf(ownerId).slots),
    count(ownerId) {
      const row = rowOf(ownerId);
      return row.slots.length - row.empty;
    },
    *all() {
      for (const { item } of slots.values()) if (item) yield item;
    },
    deleteAll(ownerId) {
      const items = itemsOf(rowOf(ownerId));
      for (const { id } of items) slots.delete(id);
      rows.delete(ownerId);
      return items;
    },
  };
}

function itemsOf<Item>({ slots }: Row<Item>): readonly Item[] {
  return slots.flatMap(({ item }) => item ?? []);
}

function* backwards<Item>(slots: readonly Slot<Item>[]): Iterable<Item> {
  for (let index = slots.length - 1; index >= 0; index--) {
    const item = slots[index]?.item;
    if (item) yield item;
  }
}

function compact<Item>(row: Row<Item>): void {
  row.slots = row.slots.filter(({ item }) => item !== undefined);
  row.empty = 0;
}
