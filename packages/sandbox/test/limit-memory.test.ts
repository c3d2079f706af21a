import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { run } from "./support/command.ts";

/** Keeps 100,000 objects, replaces them twenty times, and returns the megabytes that the heap took for the young and for the old ones. */
const churn = `
  import { getHeapSpaceStatistics } from "node:v8";
  export function churn() {
    const kept = [];
    const most = { new_space: 0, old_space: 0 };
    for (let index = 0; index < 2_000_000; index++) {
      kept[index % 100_000] = { index, list: [index] };
      if (index < 1_000_000 || index % 10_000 > 0) continue;
      for (const { space_name, space_size } of getHeapSpaceStatistics()) {
        if (space_name in most) most[space_name] = Math.max(most[space_name], Math.round(space_size / 1e6));
      }
    }
    return "young " + most.new_space + " MB, old " + most.old_space + " MB\\n";
  }`;

function megabytes(output: string): { readonly young: number; readonly old: number } {
  const [, young, old] = /young (\d+) MB, old (\d+) MB/.exec(output) ?? [];
  return { young: Number(young), old: Number(old) };
}

test("the command limits the garbage in its heap, of young and of old objects", async () => {
  const churnWhenReady = `${churn}
    const { write } = process.stdout;
    process.stdout.write = (text) => {
      process.stdout.write = write;
      return process.stdout.write(churn() + text);
    };`;
  const { printed } = run(["--port", "0"], {}, [
    "--import",
    `data:text/javascript,${encodeURIComponent(churnWhenReady)}`,
  ]);
  const { young, old } = megabytes(await printed("SERVICE_URL"));
  expect(young).toBeLessThan(20);
  expect(old).toBeLessThan(85);
});

test("a program with a sandbox keeps the limits of its heap", async () => {
  const index = JSON.stringify(new URL("../dist/index.js", import.meta.url).href);
  const program = `${churn}
    import { createSandbox } from ${index};
    const sandbox = await createSandbox({ port: "none" });
    process.stdout.write(churn());
    await sandbox.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  expect(megabytes(stdout).young).toBeGreaterThan(25);
});
