import { randomFillSync } from "node:crypto";

/** The prefix of an id, by the kind of record. `end` is a webhook endpoint, `flt` a fault, `fir` a firing, `dec` a decision. */
export type IdPrefix = "app" | "end" | "req" | "msg" | "ver" | "dlv" | "flt" | "fir" | "dec" | "mail";

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
