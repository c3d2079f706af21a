import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

// The groups that need no other libraries.
test.each(["stores", "firstAnswer", "sandbox"])("the benchmark %s works", { timeout: 120_000 }, (group) => {
  const words = ["test/benchmarks/run.ts", "--quick", group];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\| .+ \| [\d.,]+ \| .* \|$/m);
  expect(status).toBe(0);
});
