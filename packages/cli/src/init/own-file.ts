import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";

/**
 * Tells whether a file, which need not exist, is one of the app's own: in its folder, and no link. A script of package.json and a link may
 * lead anywhere.
 */
export function isOwnFile(folder: string, path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  const place = relative(realpathSync(folder), realpathSync(dirname(path)));
  return place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place);
}
