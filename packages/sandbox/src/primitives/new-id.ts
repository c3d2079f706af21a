import { randomBytes } from "node:crypto";

/** The prefix of an id, by the kind of record. `end` is a webhook endpoint, `flt` a fault, `fir` a firing, `dec` a decision. */
export type IdPrefix = "app" | "end" | "req" | "msg" | "ver" | "dlv" | "flt" | "fir" | "dec" | "mail";

/** Creates a random id that cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
