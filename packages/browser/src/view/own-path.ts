/**
 * Returns a path of this site in its canonical form; `undefined` for any other address.
 *
 * The URL parser decides, as it does in browsers: it reads `//host`, `/\host`, and a slash, a tab and a slash as other
 * sites, and `javascript:` as no site at all.
 */
export function ownPath(text: string | null | undefined): string | undefined {
  if (!text?.startsWith("/")) return undefined;
  try {
    const base = "http://localhost";
    const { origin, pathname, search, hash } = new URL(text, base);
    // `/.//host` becomes `//host` when its dots are resolved.
    return origin === base && !pathname.startsWith("//") ? pathname + search + hash : undefined;
  } catch {
    return undefined;
  }
}
