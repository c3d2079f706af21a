import { join } from "node:path";
import { expect } from "vitest";
import { readSource } from "../../packages/cli/src/init/source-file.ts";
import { runCli } from "./run-cli.ts";
import { readApp, type SampleApp, writeApp } from "./sample-apps.ts";

/** Options of `init` that write without a terminal. */
export const written = ["--yes", "--no-install", "--countries", "DE"] as const;

/** An app after `init`. */
export interface InitializedApp {
  readonly folder: string;
  readonly output: string;
  /** The texts of its files by path. */
  readonly after: Readonly<Record<string, string>>;
}

/** Writes an app, with more files if need be, and runs `init` in it. Checks that each source that `init` writes can be parsed. */
export async function initApp(
  sample: SampleApp,
  files: SampleApp["files"] = {},
  ...more: readonly string[]
): Promise<InitializedApp> {
  const folder = writeApp(sample, files);
  const before = readApp(folder);
  const { code, output, errors } = await runCli(["init", folder, ...written, ...more]);
  expect([code, errors]).toEqual([0, ""]);
  const after = readApp(folder);
  const sources = Object.keys(after).filter((path) => /\.[cm]?[jt]s$/.test(path) && after[path] !== before[path]);
  expect(sources.filter((path) => !readSource(join(folder, path)))).toEqual([]);
  return { folder, output, after };
}
