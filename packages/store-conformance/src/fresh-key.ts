import { randomUUID } from "node:crypto";
import type { Store } from "@doorcode/core/store";

/** Creates a key that no earlier run on the same server has used. */
export function freshKey(): string {
  return `conformance:${randomUUID()}`;
}

/** The lifetime of entries that outlive their check and are then removed from the server. */
export const minute = { ttlSeconds: 60 } as const;

/** A lease that lasts longer than its check. */
export const longLease = { leaseSeconds: 60, ttlSeconds: 60 } as const;

/** Reads a counter. */
export async function countOf(store: Store, key: string): Promise<number | undefined> {
  const [counter] = await store.increment([{ key, by: 0, ...minute }]);
  return counter?.count;
}
