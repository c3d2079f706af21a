import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/**
 * Makes this thread fast: errors have no stack, and each key is derived once, because all kits have one password. Both together took a
 * third of the time of a schedule.
 */
export function hurry(): void {
  Error.stackTraceLimit = 0;
  const { hkdfSync } = crypto;
  const known = new Map<string, ArrayBuffer>();
  const deriveOnce: typeof hkdfSync = (...given) => {
    const name = given.join(" ");
    const key = known.get(name) ?? hkdfSync(...given);
    known.set(name, key);
    return key;
  };
  Object.assign(crypto, { hkdfSync: deriveOnce });
  syncBuiltinESMExports();
}
