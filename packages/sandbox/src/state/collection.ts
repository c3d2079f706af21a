/** Hears of every record that is written; `added` tells a new one from a change. */
export type Watcher<Item> = (item: Item, added: boolean) => void;

/** Records of one kind, in the order in which they were added. Records are plain data and never change in place. */
export interface Collection<Item extends { readonly id: string }> {
  get(id: string): Item | undefined;
  /** Adds the record, or replaces the one with its id. */
  put(item: Item): void;
  list(): readonly Item[];
  clear(): void;
  /** Calls the watcher after each `put`. The function returned ends it. */
  watch(watcher: Watcher<Item>): () => void;
}

/** Creates a collection that lives in memory. */
export function createCollection<Item extends { readonly id: string }>(): Collection<Item> {
  const items = new Map<string, Item>();
  const watchers = new Set<Watcher<Item>>();

  return {
    get: (id) => items.get(id),
    put(item) {
      const added = !items.has(item.id);
      items.set(item.id, item);
      for (const watcher of watchers) watcher(item, added);
    },
    list: () => [...items.values()],
    clear: () => items.clear(),
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
