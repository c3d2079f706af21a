import { randomBytes } from "node:crypto";

/** The prefix of an id, by the kind of record. `end` is a webhook endpoint, `evt` an event, `flt` a fault, `fir` a firing, `dec` a decision, `api` a request to the API. */
type IdPrefix = "app" | "end" | "req" | "msg" | "ver" | "evt" | "dlv" | "flt" | "fir" | "dec" | "api" | "mail";

/** Creates a random id that cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
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
  return { ...item, ...withoutUndefined(changes ?? {}) };
}

/** Returns a copy of an object without its undefined members. */
export function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
