import { createHash } from "node:crypto";
import type { Store } from "@doorcode/core/store";
import { interceptStore } from "./intercepted-store.ts";

/** Returns the primary key of an entry in the store's table of PostgreSQL, as text. */
export function postgresKey(key: string): string {
  return `\\x${createHash("sha256").update(key).digest("hex")}`;
}

/** Notes the keys that a store is asked for, because its table holds only their digests. */
export function noteKeys(inner: Store, noted: Set<string>): Store {
  return interceptStore(inner, ({ keys }, ask) => {
    for (const key of keys) noted.add(key);
    return ask();
  });
}
