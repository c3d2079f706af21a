/** The kind of a change of a record. */
export type Change = "added" | "changed" | "removed";

type Watcher<Item> = (item: Item, change: Change) => void;

/** A copy of the records outside of memory. */
export interface Journal<Item> {
  /** Stores a record. */
  write(item: Item): void;
  /** Deletes a record. */
  erase(id: string): void;
}

/** The options of a {@link Collection}. */
export interface CollectionOptions<Item> {
  /** Returns the owner of a record: an application, or the account. */
  readonly ownerOf: (item: Item) => string;
  /** A copy of the records, to which every change is reported. */
  readonly journal?: Journal<Item> | undefined;
  /** The maximum number of records of each owner. The oldest are dropped. Default: no maximum. */
  readonly maxRecords?: number;
  /** Tells whether work on a record is scheduled. Such a record is not dropped, and those after it wait for it. */
  readonly isPending?: (item: Item) => boolean;
}

/**
 * The records of one kind, in the order in which they were added. Each belongs to an owner. A record is plain data and is
 * replaced, never changed in place.
 */
export interface Collection<Item> {
  /** Returns a record; undefined when there is none with this id. */
  get(id: string): Item | undefined;
  /** Lists the records of an owner, the oldest first. */
  list(ownerId: string): readonly Item[];
  /** Lists the records of all owners. */
  all(): readonly Item[];
  /** Counts the records of an owner. */
  count(ownerId: string): number;
  /** Adds the record, or replaces the one with its id, and returns it. */
  put(item: Item): Item;
  /** Removes a record, if there is one with this id. */
  remove(id: string): void;
  /** Removes all records of an owner. */
  forget(ownerId: string): void;
  /** Adds a record that comes from the journal. Neither the journal nor a watcher is called. */
  restore(item: Item): void;
  /** Calls the watcher after each `put`, and for each record that is removed or forgotten. The returned function ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/** Creates an empty collection in memory. */
export function createCollection<Item extends { readonly id: string }>(
  options: CollectionOptions<Item>,
): Collection<Item> {
  const { ownerOf, journal } = options;
  const items = new Map<string, Item>();
  // A map keeps the position of a key whose value is replaced.
  const itemsByOwner = new Map<string, Map<string, Item>>();
  const watchers = new Set<Watcher<Item>>();
  const owned = (ownerId: string): Map<string, Item> => itemsByOwner.get(ownerId) ?? new Map();
  const restore = (item: Item) => {
    items.set(item.id, item);
    itemsByOwner.set(ownerOf(item), owned(ownerOf(item)).set(item.id, item));
  };
  const drop = (item: Item) => {
    items.delete(item.id);
    itemsByOwner.get(ownerOf(item))?.delete(item.id);
    journal?.erase(item.id);
  };
  const report = (item: Item, change: Change) => watchers.forEach((watcher) => void watcher(item, change));
  const removeItem = (item: Item) => {
    drop(item);
    report(item, "removed");
  };
  const put = (item: Item) => {
    const isNew = !items.has(item.id);
    restore(item);
    journal?.write(item);
    if (isNew) for (const old of tooOld(owned(ownerOf(item)), options)) drop(old);
    report(item, isNew ? "added" : "changed");
    return item;
  };

  return {
    get: (id) => items.get(id),
    list: (ownerId) => [...owned(ownerId).values()],
    all: () => [...items.values()],
    count: (ownerId) => owned(ownerId).size,
    put,
    remove(id) {
      const item = items.get(id);
      if (item) removeItem(item);
    },
    forget(ownerId) {
      const forgotten = owned(ownerId);
      itemsByOwner.delete(ownerId);
      for (const item of forgotten.values()) removeItem(item);
    },
    restore,
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** Returns the oldest records of an owner that are too many, up to the first with pending work. */
function* tooOld<Item>(
  records: ReadonlyMap<string, Item>,
  { maxRecords = Number.POSITIVE_INFINITY, isPending }: CollectionOptions<Item>,
): Iterable<Item> {
  for (const item of records.values()) {
    if (records.size <= maxRecords || isPending?.(item)) return;
    yield item;
  }
}
