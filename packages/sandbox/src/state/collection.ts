/** Hears of every record that is written; `added` tells a new one from a change. */
export type Watcher<Item> = (item: Item, added: boolean) => void;

/** Records of one kind, in the order in which they were added. Records are plain data and never change in place. */
export interface Collection<Item extends { readonly id: string }> {
  get(id: string): Item | undefined;
  /** Adds the record, or replaces the one with its id. */
  put(item: Item): void;
  /** Replaces a record by what `change` makes of it, and answers that. The record must be there. */
  change(id: string, change: (item: Item) => Item): Item;
  list(): readonly Item[];
  clear(): void;
  /** Calls the watcher after each `put`. The function returned ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/** Creates a collection that lives in memory. */
export function createCollection<Item extends { readonly id: string }>(): Collection<Item> {
  const items = new Map<string, Item>();
  const watchers = new Set<Watcher<Item>>();
  const put = (item: Item) => {
    const added = !items.has(item.id);
    items.set(item.id, item);
    for (const watcher of watchers) watcher(item, added);
  };

  return {
    get: (id) => items.get(id),
    put,
    change(id, change) {
      const item = items.get(id);
      if (!item) throw new Error("There is no such record to change.");
      const changed = change(item);
      put(changed);
      return changed;
    },
    list: () => [...items.values()],
    clear: () => items.clear(),
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
