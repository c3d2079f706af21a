import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Figure } from "../benchmarks/measure/figures.ts";
import type { Role } from "../benchmarks/measure/subject.ts";
import { groups, longRuns, rows } from "../benchmarks/rows.ts";
import { hasRedis } from "../benchmarks/stores/candidates.ts";
import { root } from "./repository.ts";

/** The rows that a group measures on this machine. */
function rowsOf(group: string): readonly string[] {
  const all = Object.entries(rows).filter(([, row]) => row.group === group);
  return all.map(([name]) => name).filter((name) => hasRedis || name !== "inbox on BullMQ");
}

/** Runs a file of the benchmarks in seconds, and returns what it has sent and printed. */
async function runQuickly(
  name: string,
  ...more: readonly string[]
): Promise<{ readonly figures: readonly Figure[]; readonly printed: string }> {
  const words = [`test/benchmarks/${name}.ts`, "--quick", "--without-peers", ...more];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const figures: Figure[] = [];
  let [printed, errors] = ["", ""];
  child.on("message", (message) => figures.push(...(message as readonly Figure[])));
  child.stdout?.on("data", (text) => (printed += text));
  child.stderr?.on("data", (text) => (errors += text));
  const [status] = await once(child, "close");
  expect(status, errors).toBe(0);
  return { figures, printed };
}

test.each(groups)("the benchmark %s works, and measures all of its rows", { timeout: 300_000 }, async (group) => {
  const { figures } = await runQuickly(group);
  expect([...new Set(figures.map(({ row }) => row))]).toEqual(rowsOf(group));
  expect(figures.filter(({ role }) => role === "doorcode").length).toBeGreaterThanOrEqual(rowsOf(group).length);
});

test("a run with --before measures the kit of the other checkout beside this one's", { timeout: 300_000 }, async () => {
  const { figures } = await runQuickly("verify", `--before=${root}`);
  const namesOf = (role: Role) => figures.filter((figure) => figure.role === role).map(({ subject }) => subject);
  expect(namesOf("before")).toEqual(namesOf("doorcode").map((name) => `${name}, before`));
});

test("the benchmark scaling works, and shows each operation on each store", { timeout: 300_000 }, async () => {
  const { printed } = await runQuickly("scaling");
  const shown = printed.split("\n").map((line) => line.split(/ {2,}/)[0]);
  for (const store of ["memory", ...(hasRedis ? ["Redis"] : [])]) expect(shown).toContain(store);
  for (const operation of ["start", "confirm", "guarded request", "webhook", "a second of a page that waits"]) {
    expect(shown.filter((name) => name === operation).length).toBeGreaterThanOrEqual(hasRedis ? 2 : 1);
  }
});

test("a file of the benchmarks has rows, or runs by its name only", () => {
  const files = readdirSync(join(root, "test/benchmarks")).filter((file) => file.endsWith(".ts"));
  const programs = files
    .map((file) => file.replace(".ts", ""))
    .filter((name) => name !== "document" && name !== "rows");
  expect([...groups, ...longRuns].sort()).toEqual(programs.sort());
});

test("docs/benchmarks.md has every row of the benchmarks, in their order", () => {
  const table = readFileSync(join(root, "docs/benchmarks.md"), "utf8").split("| what | the limit |")[1] ?? "";
  const lines = table.split("\n\n")[0]?.trim().split("\n").slice(2) ?? [];
  const written = lines.map((line) => line.split(" | ").slice(0, 2).join(" | "));
  expect(written).toEqual(Object.values(rows).map(({ what, limit }) => `| ${what} | ${limit}`));
});
