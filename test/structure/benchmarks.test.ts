import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "./repository.ts";

// The group that is measured fastest, and needs no other libraries.
test("npm run bench measures a floor", { timeout: 120_000 }, () => {
  // SQLite is experimental in Node 22.
  const words = ["--disable-warning=ExperimentalWarning", "test/benchmarks/run.ts", "--quick", "sandbox"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\| .+ \| [\d.,]+ \| .* \|$/m);
  expect(status).toBe(0);
});
