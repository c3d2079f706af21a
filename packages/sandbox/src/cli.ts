#!/usr/bin/env node
// An old Node must get as far as the sentence below: by name, nothing is imported here that it lacks.
import * as nodeModule from "node:module";
import { nodeIsTooOld, oldestNode } from "./command/node-version.ts";

if (nodeIsTooOld(process.versions.node)) {
  process.stderr.write(`doorcode-sandbox: needs Node ${oldestNode} or newer, this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  // Halves the time until the sandbox is ready. It works only for what is loaded after it.
  nodeModule.enableCompileCache();
  void import("./command/run.ts").then(({ run }) => run(process.argv.slice(2)));
}
