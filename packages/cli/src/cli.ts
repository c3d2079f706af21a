#!/usr/bin/env node
// Must also run on an old Node, up to the message below: everything else is imported after it.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`doorcode: Node 22.19 or newer is required, but this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  void import("./command/run.ts").then(({ run }) => run(process.argv.slice(2)));
}
