import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isOwnFile } from "../../packages/cli/src/init/own-file.ts";

test("a file of the app is in its folder, and neither a link nor a folder nor below a link", () => {
  const parent = mkdtempSync(join(tmpdir(), "doorcode-own-file-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const [folder, outside] = [join(parent, "app"), join(parent, "outside")];
  for (const created of [folder, outside, join(folder, "src")]) mkdirSync(created);
  for (const file of [join(folder, "app.ts"), join(outside, "secret.ts")]) writeFileSync(file, "");
  symlinkSync(join(outside, "secret.ts"), join(folder, "link.ts"));
  symlinkSync(join(folder, "app.ts"), join(folder, "other.ts"));
  symlinkSync(outside, join(folder, "linked"));
  symlinkSync(folder, join(parent, "app-by-link"));

  const isOwn = (...path: string[]) => isOwnFile(folder, join(folder, ...path));
  expect([isOwn("app.ts"), isOwn("new.ts"), isOwn("new", "new.ts")]).toEqual([true, true, true]);
  expect([isOwn("link.ts"), isOwn("other.ts"), isOwn("src")]).toEqual([false, false, false]);
  expect([isOwn("linked", "secret.ts"), isOwn("..", "outside", "secret.ts"), isOwn("..", "new.ts")]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isOwnFile(join(parent, "app-by-link"), join(parent, "app-by-link", "app.ts"))).toBe(true);
});
