import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Imports the kit in a process that has this version of Node. */
async function importOn(version: string, entry = "@doorcode/core"): Promise<string> {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const program = `${pretend} import("${entry}").then(() => console.log("imported"));`;
  const words = ["-C", "@doorcode/source", "-e", program];
  const run = promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });
  return run.then(
    ({ stdout }) => stdout.trim(),
    ({ stderr }) => stderr,
  );
}

test.each([
  ["20.20.2", "@doorcode/core"],
  ["22.18.0", "@doorcode/core"],
  ["20.20.2", "@doorcode/core/adapter"],
  ["20.20.2", "@doorcode/core/service"],
])("on Node %s, the import of %s says which Node it needs", async (version, entry) => {
  expect(await importOn(version, entry)).toContain(
    `Error: @doorcode/core needs Node 22.19 or newer, but this is Node ${version}: install a newer one.`,
  );
});

test.each(["22.19.0", "23.0.0", "24.21.0"])("on Node %s, the import passes", async (version) => {
  expect(await importOn(version)).toBe("imported");
});
