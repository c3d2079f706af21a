import { hash } from "node:crypto";

/** The lifetime of a device's id, from each login on. The store remembers the device for as long. */
export { deviceSeconds } from "../limits/counter-table.ts";

/** Returns the digest of a device's id. The store has only the digest, so reading the store makes no device known. */
export function digestOfDevice(id: string): string {
  return hash("sha256", id, "base64url").slice(0, 22);
}
