import { randomBytes } from "node:crypto";

/** What an id names: the records of the state, and `end` for a webhook endpoint. */
export type IdPrefix = "app" | "end" | "req" | "msg" | "ver" | "dlv" | "flt" | "fir" | "mail";

/** Makes an id that nobody can guess: the prefix tells people what it names. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
