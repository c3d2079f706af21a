import { createOrderedRecords, type IndexedRecords, type OrderedRecords } from "./ordered-records.ts";
import { createPackedMemory, type PackedMemorySizes } from "./packed-memory.ts";
import type { IndexedBy } from "./record-index.ts";

/** The kind of a change of a record. */
export type Change = "added" | "changed" | "removed";

/** Receives every record that is written or removed. */
export type Watcher<Item> = (item: Item, change: Change) => void;

/** A copy of the records outside of memory. */
export interface Journal<Item> {
  /** Stores a record. */
  write(item: Item): void;
  /** Deletes a record. */
  erase(id: string): void;
}

/**
 * The records of one kind, in the order in which they were added. Each belongs to an owner: an application, or the
 * account. A record is plain data and is replaced, never changed in place.
 */
export interface Collection<Item extends { readonly id: string }>
  extends Omit<OrderedRecords<Item>, "set" | "delete" | "deleteAll"> {
  /** Adds the record, or replaces the one with its id. */
  put(item: Item): void;
  /** Replaces a record by the result of `change` and returns it. The record must exist. */
  change(id: string, change: (item: Item) => Item): Item;
  /** Removes a record, if there is one with this id. */
  remove(id: string): void;
  /** Removes all records of an owner. Watchers are not called. */
  forget(ownerId: string): void;
  /** Adds records that come from the journal, in their order. Neither the journal nor a watcher is called. */
  restore(items: Iterable<Item>): void;
  /** Calls the watcher after each change except those of `forget` and `restore`. The returned function ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/**
 * The records of a kind of which each message adds some. They are kept packed, and can be selected by their phone number and by
 * their summary without reading the others.
 */
export type History<Item extends { readonly id: string }, Summary> = Collection<Item> & IndexedRecords<Item, Summary>;

/** Creates a collection in memory that reports every change to the journal, if there is one. */
export function createCollection<Item extends { readonly id: string }>(
  ownerOf: (item: Item) => string,
  journal?: Journal<Item>,
): Collection<Item> {
  return collect(createOrderedRecords(ownerOf), journal);
}

/** Creates a collection like that of `createCollection` for records that become many. */
export function createHistory<Item extends { readonly id: string }, Summary>(
  ownerOf: (item: Item) => string,
  indexedBy: IndexedBy<Item, Summary>,
  journal?: Journal<Item>,
  sizes?: PackedMemorySizes,
): History<Item, Summary> {
  const records = createOrderedRecords(ownerOf, { memory: createPackedMemory(sizes), indexedBy });
  return { ...records, ...collect(records, journal) };
}

function collect<Item extends { readonly id: string }>(
  records: OrderedRecords<Item>,
  journal: Journal<Item> | undefined,
): Collection<Item> {
  const watchers = new Set<Watcher<Item>>();
  const notify = (item: Item, change: Change) => {
    for (const watcher of watchers) watcher(item, change);
  };
  const put = (item: Item) => {
    const isNew = records.set(item);
    journal?.write(item);
    notify(item, isNew ? "added" : "changed");
  };

  return {
    ...records,
    put,
    change(id, change) {
      const item = records.get(id);
      if (!item) throw new Error("There is no such record.");
      const changed = change(item);
      put(changed);
      return changed;
    },
    remove(id) {
      const item = records.delete(id);
      if (!item) return;
      journal?.erase(id);
      notify(item, "removed");
    },
    forget(ownerId) {
      for (const id of records.deleteAll(ownerId)) journal?.erase(id);
    },
    restore(items) {
      for (const item of items) records.set(item);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
