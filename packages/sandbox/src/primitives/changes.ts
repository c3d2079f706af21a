/** Changes to a record. A member that is missing or undefined keeps its value. */
export type Changes<Item> = { readonly [Member in keyof Item]?: Item[Member] | undefined };

/** Returns a copy of the record with the changes applied. */
export function applyChanges<Item extends object>(item: Item, changes: Changes<Item> | undefined): Item {
  const defined = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
  return { ...item, ...Object.fromEntries(defined) };
}
