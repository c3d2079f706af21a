/** The objects of a few records that were used last. */
export interface RecentItems<Item> {
  /** Returns the object of a record, unless it was displaced by another one. */
  get(record: number): Item | undefined;
  /** Keeps the object of a record. */
  set(record: number, item: Item): void;
}

/** A record is used several times within a short time: as many as are about to be delivered, and some more. */
const size = 128;

/** Creates an empty set. Few objects are kept, because more would grow old, and then only a full garbage collection removes them. */
export function createRecentItems<Item>(): RecentItems<Item> {
  const records: number[] = [];
  const items: Item[] = [];
  return {
    get: (record) => (records[record % size] === record ? items[record % size] : undefined),
    set(record, item) {
      records[record % size] = record;
      items[record % size] = item;
    },
  };
}
