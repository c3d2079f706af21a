import { randomFillSync } from "node:crypto";

/** The prefix of an id, by the kind of record. `end` is a webhook endpoint, `evt` an event, `flt` a fault, `fir` a firing, `dec` a decision, `api` a request to the API. */
type IdPrefix = "app" | "end" | "req" | "msg" | "ver" | "evt" | "dlv" | "flt" | "fir" | "dec" | "api" | "mail";

const idBytes = 12;

/** Random bytes for many ids. Each call of the generator costs as much as half of an accepted message. */
const pool = Buffer.alloc(idBytes * 256);
let used = pool.length;

/** Creates a random id that cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += idBytes;
  return `${prefix}_${pool.toString("hex", start, used)}`;
}

/** Formats Unix milliseconds as records keep instants: ISO 8601 with milliseconds. */
export function isoInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The longest delay of a timer, about 24 days. Node fires a timer with a longer delay immediately. */
export const maxTimeoutMilliseconds: number = 2 ** 31 - 1;

/** Changes to a record. A member that is missing or undefined keeps its value. */
export type Changes<Item> = { readonly [Member in keyof Item]?: Item[Member] | undefined };

/** Returns a copy of the record with the changes applied. */
export function applyChanges<Item extends object>(item: Item, changes: Changes<Item> | undefined): Item {
  const defined = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
  return { ...item, ...Object.fromEntries(defined) };
}
