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
  readonly suites: readonly { readonly specs: readonly { readonly tests: readonly Run[] }[] }[];
}

interface Run {
  readonly annotations: readonly { readonly type: string; readonly description: string }[];
}

async function runPlaywright(...options: string[]): Promise<{ status: number | null; report: Report; errors: string }> {
  const output = mkdtempSync(join(tmpdir(), "doorcode-playwright-"));
  onTestFinished(() => rmSync(output, { recursive: true }));
  const folder = join(import.meta.dirname, "playwright");
  const child = spawn(process.execPath, [playwright, "test", "--config", folder, "--output", output, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "--conditions=@doorcode/source" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [json, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, report: JSON.parse(json), errors };
}

function annotations(report: Report, wanted: string): string[] {
  const runs = report.suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests);
  return runs.flatMap(({ annotations }) =>
    annotations.filter(({ type }) => type === wanted).map(({ description }) => description),
  );
}

test("gives every Playwright test an application and every worker a sandbox, without a browser", async () => {
  const one = await runPlaywright("--workers=1");
  expect(one).toMatchObject({ status: 0, report: { stats: { expected: 2, unexpected: 0 } } });
  expect(new Set(annotations(one.report, "key")).size).toBe(2);
  expect(new Set(annotations(one.report, "sandbox")).size).toBe(1);

  const two = await runPlaywright("--workers=2", "--fully-parallel");
  expect(two).toMatchObject({ status: 0, report: { stats: { expected: 2, unexpected: 0 } } });
  expect(new Set(annotations(two.report, "sandbox")).size).toBe(2);
}, 60_000);
