import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";

/**
 * Tells whether a file, which need not exist and whose folder need not, is one of the app's own: in its folder, and no link, folder or
 * pipe. A script of package.json and a link may lead anywhere.
 */
export function isOwnFile(folder: string, path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) return false;
  let parent = dirname(path);
  while (!lstatSync(parent, { throwIfNoEntry: false })) parent = dirname(parent);
  const place = relative(realpathSync(folder), realpathSync(parent));
  return place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place);
}

/** Nobody writes a longer file by hand. */
const maxBytes = 1_000_000;

/** A byte order mark stays in the text, so that it is written again. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a file of at most 1 MB in UTF-8; `undefined` for anything else: other bytes would change when the text is written again. */
export function readText(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > maxBytes) return undefined;
  try {
    return utf8.decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
