/**
 * Checks the base path of a mount.
 *
 * @returns the path; an empty text for the root
 * @throws TypeError if it is not a path, or ends with a slash
 */
export function checkBasePath(mount: string, basePath: string): string {
  if (typeof basePath === "string" && /^\/[^?#]*$/.test(basePath) && (basePath === "/" || !basePath.endsWith("/")))
    return basePath === "/" ? "" : basePath;
  throw new TypeError(
    `${mount}: basePath: expected the path of the mount, without a slash at its end, such as "/login".`,
  );
}

/** Returns the path below the mount; `undefined` for a path that is not below it. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (path === basePath) return "/";
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}
