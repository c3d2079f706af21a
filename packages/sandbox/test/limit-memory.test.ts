import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { expect, test, vi } from "vitest";
import { limitMemory } from "../src/command/limit-memory.ts";
import { run } from "./support/command.ts";

// The flags would be those of all tests in this process.
vi.mock("node:v8", () => ({ setFlagsFromString: vi.fn() }));

/** Keeps 100,000 objects, replaces them twenty times, and returns the usual size of the young generation since the tenth time. */
const churn = `
  import { getHeapSpaceStatistics } from "node:v8";
  export function churn() {
    const kept = [];
    const sizes = [];
    for (let index = 0; index < 2_000_000; index++) {
      kept[index % 100_000] = { index, list: [index] };
      if (index < 1_000_000 || index % 10_000 > 0) continue;
      sizes.push(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);
    }
    return "young: " + Math.round(sizes.sort((left, right) => left - right)[50] / 1e6) + " MB\\n";
  }`;

const megabytes = (output: string) => Number(/young: (\d+) MB/.exec(output)?.[1]);

test("the young generation of the command's process stays small", async () => {
  const churnWhenReady = `${churn}
    const { write } = process.stdout;
    process.stdout.write = (text) => {
      process.stdout.write = write;
      return process.stdout.write(churn() + text);
    };`;
  const preload = `data:text/javascript,${encodeURIComponent(churnWhenReady)}`;
  const { printed } = run(["--port", "0"], {}, ["--import", preload]);
  expect(megabytes(await printed("SERVICE_URL"))).toBeLessThan(15);
});

test("a program with a sandbox keeps the limits of its heap", async () => {
  const index = JSON.stringify(new URL("../dist/index.js", import.meta.url).href);
  const program = `${churn}
    import { createSandbox } from ${index};
    const sandbox = await createSandbox({ port: "none" });
    process.stdout.write(churn());
    await sandbox.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(megabytes(stdout)).toBeGreaterThan(25);
});

test("the old generation is limited too: how large it becomes depends on the machine", () => {
  limitMemory();
  expect(vi.mocked(setFlagsFromString).mock.calls).toEqual([
    ["--semi-space-growth-factor=1"],
    ["--heap-growing-percent=150"],
  ]);
});
