/** What happened to a record. */
export type Change = "added" | "changed" | "removed";

/** Hears of every record that is written or removed, with what it is or was. */
export type Watcher<Item> = (item: Item, change: Change) => void;

/** Where written records are kept, beside memory. */
export interface Journal<Item> {
  write(item: Item): void;
  erase(id: string): void;
}

/**
 * Records of one kind, in the order in which they were added, each below the one that owns it: an application, or the
 * account. Records are plain data and never change in place.
 */
export interface Collection<Item extends { readonly id: string }> {
  get(id: string): Item | undefined;
  /** Adds the record, or replaces the one with its id. */
  put(item: Item): void;
  /** Replaces a record by what `change` makes of it, and answers that. The record must be there. */
  change(id: string, change: (item: Item) => Item): Item;
  /** Removes a record; one that is not there is no mistake. */
  remove(id: string): void;
  /** The records of an owner, the oldest first. */
  list(ownerId: string): readonly Item[];
  /** The records of an owner, the newest first, one by one: what looks for a few need not copy them all. */
  newestFirst(ownerId: string): Iterable<Item>;
  /** How many records an owner has. */
  count(ownerId: string): number;
  /** Every record, of all owners. */
  all(): Iterable<Item>;
  /** Removes all records of an owner. */
  forget(ownerId: string): void;
  /** Takes records back from where the journal kept them, in their order: neither the journal nor a watcher hears of it. */
  restore(items: Iterable<Item>): void;
  /** Calls the watcher after each change but those of `forget` and `restore`. The function returned ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/** The place of a record among those of its owner; empty once it is removed. */
interface Entry<Item> {
  item: Item | undefined;
}

/** The records of one owner. Places are closed up only when most are empty: to remove many one by one stays cheap. */
interface Row<Item> {
  entries: Entry<Item>[];
  removed: number;
}

/** Creates a collection in memory that tells a journal, if there is one, of every change. */
export function createCollection<Item extends { readonly id: string }>(
  ownerOf: (item: Item) => string,
  journal?: Journal<Item>,
): Collection<Item> {
  const entries = new Map<string, Entry<Item>>();
  const rows = new Map<string, Row<Item>>();
  const watchers = new Set<Watcher<Item>>();
  const rowOf = (ownerId: string) => rows.get(ownerId) ?? { entries: [], removed: 0 };
  const required = (id: string): Item => {
    const item = entries.get(id)?.item;
    if (!item) throw new Error("There is no such record.");
    return item;
  };
  const tell = (item: Item, change: Change) => {
    for (const watcher of watchers) watcher(item, change);
  };
  const put = (item: Item) => {
    const entry = entries.get(item.id);
    if (entry) entry.item = item;
    else add(item);
    journal?.write(item);
    tell(item, entry ? "changed" : "added");
  };
  const add = (item: Item) => {
    const [entry, row] = [{ item }, rowOf(ownerOf(item))];
    row.entries.push(entry);
    rows.set(ownerOf(item), row);
    entries.set(item.id, entry);
  };

  return {
    get: (id) => entries.get(id)?.item,
    put,
    change(id, change) {
      const changed = change(required(id));
      put(changed);
      return changed;
    },
    remove(id) {
      const entry = entries.get(id);
      if (!entry?.item) return;
      const { item } = entry;
      const row = rowOf(ownerOf(item));
      entry.item = undefined;
      entries.delete(id);
      row.removed++;
      if (row.removed > row.entries.length / 2) compact(row);
      journal?.erase(id);
      tell(item, "removed");
    },
    list: (ownerId) => rowOf(ownerId).entries.flatMap(({ item }) => item ?? []),
    *newestFirst(ownerId) {
      const { entries } = rowOf(ownerId);
      for (let index = entries.length - 1; index >= 0; index--) {
        const item = entries[index]?.item;
        if (item) yield item;
      }
    },
    count(ownerId) {
      const { entries, removed } = rowOf(ownerId);
      return entries.length - removed;
    },
    *all() {
      for (const { item } of entries.values()) if (item) yield item;
    },
    forget(ownerId) {
      for (const { item } of rowOf(ownerId).entries) {
        if (!item) continue;
        entries.delete(item.id);
        journal?.erase(item.id);
      }
      rows.delete(ownerId);
    },
    restore(kept) {
      for (const item of kept) add(item);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

function compact<Item>(row: Row<Item>): void {
  row.entries = row.entries.filter(({ item }) => item !== undefined);
  row.removed = 0;
}
