import { hash } from "node:crypto";

/** Returns an opaque text that is another one as soon as a part is. It reveals nothing but that. */
export function versionOf(...parts: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 16);
}
