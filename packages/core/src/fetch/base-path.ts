/**
 * Checks where a mount is to begin.
 *
 * @throws TypeError when it is no path, or ends with a slash
 */
export function checkBasePath(mount: string, basePath: string): string {
  if (typeof basePath === "string" && /^\/[^?#]*$/.test(basePath) && (basePath === "/" || !basePath.endsWith("/")))
    return basePath === "/" ? "" : basePath;
  throw new TypeError(`${mount}: basePath is wrong: expected the path it is mounted at, such as "/login".`);
}

/** Answers the path below the mount, or `undefined` for a path that is not below it. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}
