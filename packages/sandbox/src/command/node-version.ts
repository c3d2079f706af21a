/** The oldest version of Node that can run the sandbox. */
export const minNodeVersion = "22.19";

/**
 * Tells whether a version of Node, such as `20.11.1`, is older than {@link minNodeVersion}.
 *
 * It runs on old versions as well, before anything else is loaded.
 */
export function isNodeTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = minNodeVersion.split(".").map(Number);
  return major < minMajor || (major === minMajor && minor < minMinor);
}
