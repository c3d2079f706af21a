import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { freshApps } from "./fresh-app.ts";
import { packPackages, reachesRegistry, type Tarballs } from "./packages.ts";
import { tryApp } from "./try-app.ts";

const folder = mkdtempSync(join(tmpdir(), "doorcode-fresh-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!reachesRegistry())("a login and a webhook, with the packed packages in a new app:", () => {
  let tarballs: Tarballs;
  beforeAll(async () => {
    tarballs = await packPackages(folder);
  }, 300_000);

  test.each(freshApps.filter(({ isQuick }) => isQuick))("$title", { timeout: 600_000 }, async (app) => {
    await tryApp(app, join(folder, app.folder), tarballs);
  });
});
