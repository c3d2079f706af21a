/** What is to change about a record: what is left out, or undefined, stays as it is. */
export type Changes<Item> = { readonly [Member in keyof Item]?: Item[Member] | undefined };

/** The record with the changes made. */
export function changed<Item extends object>(item: Item, changes: Changes<Item> | undefined): Item {
  const defined = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
  return { ...item, ...Object.fromEntries(defined) };
}
