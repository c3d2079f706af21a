import { expect } from "vitest";
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

/** Writes an app, with more files if need be, and runs `init` in it. */
export async function initApp(
  sample: SampleApp,
  files: Readonly<Record<string, string>> = {},
): Promise<InitializedApp> {
  const folder = writeApp({ ...sample, files: { ...sample.files, ...files } });
  const { code, output, errors } = await runCli(["init", folder, ...written]);
  expect([code, errors]).toEqual([0, ""]);
  return { folder, output, after: readApp(folder) };
}
