import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Figure } from "../benchmarks/measure/figures.ts";
import { groups, rows } from "../benchmarks/rows.ts";
import { hasRedis } from "../benchmarks/stores/candidates.ts";
import { root } from "./repository.ts";

/** The rows that a group measures on this machine. */
function rowsOf(group: string): readonly string[] {
  const all = Object.entries(rows).filter(([, row]) => row.group === group);
  return all.map(([name]) => name).filter((name) => hasRedis || name !== "inbox on BullMQ");
}

test.each(groups)("the benchmark %s works, and measures all of its rows", { timeout: 120_000 }, async (group) => {
  const words = [`test/benchmarks/${group}.ts`, "--quick", "--without-peers"];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const figures: Figure[] = [];
  let errors = "";
  child.on("message", (message) => figures.push(...(message as readonly Figure[])));
  child.stderr?.on("data", (text) => (errors += text));
  const [status] = await once(child, "close");
  expect(status, errors).toBe(0);
  expect([...new Set(figures.map(({ row }) => row))]).toEqual(rowsOf(group));
  expect(figures.filter(({ role }) => role === "doorcode").length).toBeGreaterThanOrEqual(rowsOf(group).length);
});

test("docs/benchmarks.md has every row of the benchmarks, in their order", () => {
  const table = readFileSync(join(root, "docs/benchmarks.md"), "utf8").split("| what | the limit |")[1] ?? "";
  const lines = table.split("\n\n")[0]?.trim().split("\n").slice(2) ?? [];
  const written = lines.map((line) => line.split(" | ").slice(0, 2).join(" | "));
  expect(written).toEqual(Object.values(rows).map(({ what, limit }) => `| ${what} | ${limit}`));
});
