/*
 * Stops a process whose Node is too old when it imports the kit. Without this check its first login would fail, deep inside of a library.
 */

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  throw new Error(
    `@doorcode/core needs Node 22.19 or newer, but this is Node ${process.versions.node}: install a newer one.`,
  );
}
