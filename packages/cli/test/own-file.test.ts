import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readText } from "../src/init/own-file.ts";

test("a file is read up to a megabyte, and a larger one stays as it is", () => {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-own-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "server.js");
  const lengths = [1_000_000, 1_000_001].map((bytes) => {
    writeFileSync(file, "x".repeat(bytes));
    return readText(file)?.length;
  });
  expect(lengths).toEqual([1_000_000, undefined]);
});
