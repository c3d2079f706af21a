/** The oldest Node the sandbox runs on. */
export const oldestNode = "22.19";

/**
 * Tells whether a version of Node, such as `20.11.1`, is older than {@link oldestNode}.
 *
 * It runs on old versions itself, before anything else is loaded.
 */
export function nodeIsTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split(".").map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
