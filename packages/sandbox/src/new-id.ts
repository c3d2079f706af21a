import { randomBytes } from "node:crypto";

/** Makes an id that nobody can guess: the prefix tells people what it names. */
export function newId(prefix: "app" | "req" | "msg" | "ver" | "dlv"): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
