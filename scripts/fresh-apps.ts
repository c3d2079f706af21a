import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CommandError } from "../test/fresh-apps/command.ts";
import { type FreshApp, freshApps } from "../test/fresh-apps/fresh-app.ts";
import { packPackages, type Tarballs } from "../test/fresh-apps/packages.ts";
import { tryApp } from "../test/fresh-apps/try-app.ts";
import { answers } from "../test/fresh-apps/try-existing-app.ts";
import { build } from "./build.ts";
import { print } from "./cli-error.ts";

/*
 * `npm run fresh-apps`: packs the packages, installs them in a new app of each framework, logs in and receives a webhook there, and
 * prints a row for each. `--only TEXT` tries the apps whose title has this text.
 */

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const folder = mkdtempSync(join(tmpdir(), "doorcode-fresh-"));
try {
  build();
  const tarballs = await packPackages(folder);
  print("| app | versions | seconds of install | MB added | result |");
  print("| --- | --- | --- | --- | --- |");
  for (const app of freshApps.filter(({ title }) => title.includes(values.only))) await tryAndPrint(app, tarballs);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryAndPrint(app: FreshApp, tarballs: Tarballs): Promise<void> {
  const databasePort = app.existing === "tests only" ? undefined : app.existing?.databasePort;
  if (databasePort !== undefined && !(await answers(databasePort))) {
    print(`| ${app.title} | | | | not run: no database answers on port ${databasePort} |`);
    return;
  }
  const appFolder = join(folder, app.folder);
  try {
    const { seconds, addedMegabytes, versions } = await tryApp(app, appFolder, tarballs);
    print(`| ${app.title} | ${versions} | ${seconds.toFixed(1)} | ${addedMegabytes.toFixed(1)} | works |`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    print(`| ${app.title} | | | | fails |`);
    process.stderr.write(`\n${app.title}: ${error.message}\n\n`);
    process.exitCode = 1;
  }
  rmSync(appFolder, { recursive: true, force: true });
}
