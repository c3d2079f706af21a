import { createRecordIndex, type IndexedBy, type RecordIndex } from "./record-index.ts";
import { createPlainMemory, type RecordMemory } from "./record-memory.ts";
import { createSlot, type Slot, type Tally } from "./record-slot.ts";

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
  /** Iterates over the records of an owner, the oldest first. */
  oldestFirst(ownerId: string): Iterable<Item>;
  /** Iterates over the records of an owner, the newest first. Records may be removed meanwhile. */
  newestFirst(ownerId: string): Iterable<Item>;
  /** Counts the records of an owner. */
  count(ownerId: string): number;
  /** Iterates over the records of all owners. */
  all(): Iterable<Item>;
  /** Removes all records of an owner and returns their ids. */
  deleteAll(ownerId: string): readonly string[];
}

/** Selections of records that read no others. */
export interface IndexedRecords<Item, Summary> {
  /**
   * Iterates over the records of an owner that are about a phone number, the newest first.
   *
   * @param afterId - id of a record. Only records that were added later are included.
   */
  aboutPhone(ownerId: string, phone: string, afterId?: string): Iterable<Item>;
  /** Iterates over the records of an owner whose summary matches, the newest first. */
  matching(ownerId: string, matches: (summary: Summary) => boolean): Iterable<Item>;
  /** Lists the summaries of an owner's records, each with the number of records that have it. */
  tallies(ownerId: string): readonly Tally<Summary>[];
}

/** The records of one owner. Empty slots are dropped when most are empty, so that removing one by one stays cheap. */
interface Row<Item, Summary> {
  slots: Slot<Item>[];
  empty: number;
  readonly index: RecordIndex<Item, Summary> | undefined;
}

/** How records are kept. */
export interface RecordsOptions<Item, Summary> {
  /** The form of the records. Default: the objects themselves. */
  readonly memory?: RecordMemory<Item>;
  /** The index. Default: none, and selections by it are empty. */
  readonly indexedBy?: IndexedBy<Item, Summary>;
}

/** Creates an empty set of records. */
export function createOrderedRecords<Item extends { readonly id: string }, Summary = never>(
  ownerOf: (item: Item) => string,
  { memory = createPlainMemory(), indexedBy }: RecordsOptions<Item, Summary> = {},
): OrderedRecords<Item> & IndexedRecords<Item, Summary> {
  const slots = new Map<string, Slot<Item>>();
  const rows = new Map<string, Row<Item, Summary>>();
  let added = 0;
  const createRow = () => ({ slots: [], empty: 0, index: indexedBy && createRecordIndex(indexedBy) });
  const rowOf = (ownerId: string): Row<Item, Summary> => rows.get(ownerId) ?? createRow();
  const add = (item: Item) => {
    const [slot, row] = [createSlot<Item>(item.id, added++), rowOf(ownerOf(item))];
    row.slots.push(slot);
    rows.set(ownerOf(item), row);
    slots.set(item.id, slot);
    row.index?.add(slot, item);
    memory.hold(slot, item);
  };
  const read = function* (some: Iterable<Slot<Item>>): Iterable<Item> {
    for (const slot of some) {
      const item = memory.read(slot);
      if (item !== undefined) yield item;
    }
  };

  return {
    get(id) {
      const slot = slots.get(id);
      return slot && memory.read(slot);
    },
    set(item) {
      const known = slots.get(item.id);
      if (!known) {
        add(item);
        return true;
      }
      rowOf(ownerOf(item)).index?.change(known, item);
      memory.hold(known, item);
      return false;
    },
    delete(id) {
      const slot = slots.get(id);
      const item = slot && memory.read(slot);
      if (!item) return undefined;
      slots.delete(id);
      memory.discard(slot);
      drop(rowOf(ownerOf(item)), slot);
      return item;
    },
    list: (ownerId) => [...read(rowOf(ownerId).slots)],
    oldestFirst: (ownerId) => read(rowOf(ownerId).slots),
    newestFirst: (ownerId) => read(backwards(rowOf(ownerId).slots)),
    aboutPhone(ownerId, phone, afterId = "") {
      const after = slots.get(afterId)?.sequence ?? -1;
      return read(rowOf(ownerId).index?.slotsOf(phone, after) ?? []);
    },
    matching: (ownerId, matches) => read(matchingSlots(rowOf(ownerId), matches)),
    tallies: (ownerId) => rowOf(ownerId).index?.tallies() ?? [],
    count(ownerId) {
      const row = rowOf(ownerId);
      return row.slots.length - row.empty;
    },
    all: () => read(slots.values()),
    deleteAll(ownerId) {
      const removed = rowOf(ownerId).slots.filter((slot) => slots.get(slot.id) === slot);
      for (const slot of removed) {
        slots.delete(slot.id);
        memory.discard(slot);
      }
      rows.delete(ownerId);
      return removed.map(({ id }) => id);
    },
  };
}

function* backwards<Item>(slots: readonly Slot<Item>[]): Iterable<Slot<Item>> {
  for (let index = slots.length - 1; index >= 0; index--) {
    const slot = slots[index];
    if (slot) yield slot;
  }
}

function* matchingSlots<Item, Summary>(
  { slots, index }: Row<Item, Summary>,
  matches: (summary: Summary) => boolean,
): Iterable<Slot<Item>> {
  const wanted = new Set<Tally | undefined>(index?.tallies().filter(({ summary }) => matches(summary)));
  for (const slot of backwards(slots)) if (wanted.has(slot.tally)) yield slot;
}

function drop<Item, Summary>(row: Row<Item, Summary>, slot: Slot<Item>): void {
  row.index?.remove(slot);
  row.empty++;
  if (row.empty <= row.slots.length / 2) return;
  row.slots = row.slots.filter(({ item, block }) => item !== undefined || block !== undefined);
  row.empty = 0;
}
