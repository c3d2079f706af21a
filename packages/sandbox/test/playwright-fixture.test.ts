import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const playwright = createRequire(import.meta.url).resolve("@playwright/test/cli");

interface Report {
  readonly stats: { readonly expected: number; readonly unexpected: number };
  readonly suites: readonly { readonly specs: readonly { readonly tests: readonly PlaywrightTest[] }[] }[];
}

interface PlaywrightTest {
  readonly annotations: readonly { readonly type: string; readonly description: string }[];
  readonly results: readonly { readonly workerIndex: number }[];
}

/** Runs the tests of the folder beside this file, with the fixture as it is shipped. */
async function runPlaywright(...options: string[]): Promise<{ status: number | null; report: Report; errors: string }> {
  const output = mkdtempSync(join(tmpdir(), "doorcode-playwright-"));
  onTestFinished(() => rmSync(output, { recursive: true }));
  const folder = join(import.meta.dirname, "playwright");
  const child = spawn(process.execPath, [playwright, "test", "--config", folder, "--output", output, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [json, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, report: JSON.parse(json), errors };
}

test("gives every Playwright test an application and every worker a sandbox, without a browser", async () => {
  const { status, report } = await runPlaywright("--workers=2", "--fully-parallel");
  expect({ status, stats: report.stats }).toMatchObject({ status: 0, stats: { expected: 4, unexpected: 0 } });

  const runs = report.suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests);
  const annotated = (wanted: string) =>
    runs.map(({ annotations }) => annotations.find(({ type }) => type === wanted)?.description);
  const workers = runs.map(({ results }) => results[0]?.workerIndex);
  const placed = annotated("sandbox").map((sandbox, index) => `${sandbox} of worker ${workers[index]}`);
  // Of four tests in two workers, at least two share a worker.
  expect(new Set(annotated("key")).size).toBe(4);
  expect(new Set(workers).size).toBe(2);
  expect(new Set(annotated("sandbox")).size).toBe(2);
  expect(new Set(placed).size).toBe(2);
}, 60_000);
