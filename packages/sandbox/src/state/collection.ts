import { createHistoryRecords, type IndexedRecords } from "./history-records.ts";
import { createOrderedRecords, type OrderedRecords, type RemovableRecords } from "./ordered-records.ts";
import type { LogSizes } from "./record-log.ts";
import type { IndexedBy } from "./record-table.ts";

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
  extends ReportedRecords<Item>,
    Omit<RemovableRecords<Item>, keyof OrderedRecords<Item> | "delete"> {
  /** Removes a record, if there is one with this id. */
  remove(id: string): void;
}

/**
 * The records of a kind of which each message adds some. They are kept as bytes, and can be selected by their phone number and by
 * their summary without reading the others. They are not removed one by one.
 */
export interface History<Item extends { readonly id: string }, Summary>
  extends ReportedRecords<Item>,
    IndexedRecords<Item, Summary> {}

/** Records in their order, each change of which is reported. */
export interface ReportedRecords<Item> extends Omit<OrderedRecords<Item>, "set" | "deleteAll"> {
  /** Adds the record, or replaces the one with its id. */
  put(item: Item): void;
  /** Replaces a record by the result of `change` and returns it. The record must exist. */
  change(id: string, change: (item: Item) => Item): Item;
  /** Removes all records of an owner. Watchers are not called. */
  forget(ownerId: string): void;
  /** Adds records that come from the journal, in their order. Neither the journal nor a watcher is called. */
  restore(items: Iterable<Item>): void;
  /** Calls the watcher after each change except those of `forget` and `restore`. The returned function ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/** Creates a collection in memory that reports every change to the journal, if there is one. */
export function createCollection<Item extends { readonly id: string }>(
  ownerOf: (item: Item) => string,
  journal?: Journal<Item>,
): Collection<Item> {
  const records = createOrderedRecords(ownerOf);
  const watchers = new Set<Watcher<Item>>();
  return {
    ...records,
    ...report(records, watchers, journal),
    remove(id) {
      const item = records.delete(id);
      if (!item) return;
      journal?.erase(id);
      for (const watcher of watchers) watcher(item, "removed");
    },
  };
}

/** Creates a history in memory that reports every change to the journal, if there is one. */
export function createHistory<Item extends { readonly id: string }, Summary>(
  ownerOf: (item: Item) => string,
  indexedBy: IndexedBy<Item, Summary>,
  journal?: Journal<Item>,
  sizes?: LogSizes,
): History<Item, Summary> {
  const records = createHistoryRecords(ownerOf, indexedBy, sizes);
  return { ...records, ...report(records, new Set(), journal) };
}

function report<Item extends { readonly id: string }>(
  records: OrderedRecords<Item>,
  watchers: Set<Watcher<Item>>,
  journal: Journal<Item> | undefined,
): ReportedRecords<Item> {
  const put = (item: Item) => {
    const isNew = records.set(item);
    journal?.write(item);
    for (const watcher of watchers) watcher(item, isNew ? "added" : "changed");
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
    forget(ownerId) {
      // Only a journal needs the ids, which are read with their records.
      const ids = journal ? Array.from(records.oldestFirst(ownerId), ({ id }) => id) : [];
      records.deleteAll(ownerId);
      for (const id of ids) journal?.erase(id);
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
