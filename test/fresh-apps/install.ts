import { cpSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { CommandError, runCommand } from "./command.ts";
import type { FreshApp } from "./fresh-app.ts";
import type { Tarballs } from "./packages.ts";

const apps = join(import.meta.dirname, "apps");
/** One cache for all apps and runs: a package is downloaded once. */
const cache = resolve(import.meta.dirname, "../../.doorcode/npm-cache");
const npmInstall = `npm install --cache ${JSON.stringify(cache)} --prefer-offline --no-audit --no-fund`;

/** The same for the installations of a program that the app runs. */
export const npmSettings: Readonly<Record<string, string>> = {
  npm_config_cache: cache,
  npm_config_prefer_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

/** What the installation of Doorcode in an app has cost. */
export interface Installation {
  readonly seconds: number;
  /** What Doorcode and the packages that it needs have added to `node_modules`. */
  readonly addedMegabytes: number;
  /** The framework and its version. */
  readonly versions: string;
}

/**
 * Copies an app to a folder, installs its framework, and then Doorcode, as somebody does who has an app already.
 *
 * @throws CommandError if npm fails, or warns about a package of Doorcode
 */
export async function installApp(app: FreshApp, folder: string, tarballs: Tarballs): Promise<Installation> {
  mkdirSync(folder);
  cpSync(join(apps, app.folder), folder, { recursive: true });
  // In the folder of a package's commands, a `node` comes before the machine's.
  const node = app.nodeVersion === undefined ? "" : ` node@${app.nodeVersion}`;
  const others = (app.otherVersions ?? []).map((each) => ` ${each}`).join("");
  const warnedBefore = new Set(warningsIn(await runCommand(npmInstall + node + others, folder, { maxSeconds: 300 })));
  const bytesBefore = bytesOf(folder);
  const startedAt = performance.now();
  const packed = app.packages.map((name) => JSON.stringify(tarballs.get(name)));
  const output = await runCommand(`${npmInstall} ${packed.join(" ")}`, folder, { maxSeconds: 300 });
  const seconds = (performance.now() - startedAt) / 1000;
  const warnings = warningsIn(output).filter((line) => !warnedBefore.has(line));
  if (warnings.length > 0) throw new CommandError(`npm warns about Doorcode:\n${warnings.join("\n")}`);
  await checkNode(app, folder);
  return { seconds, addedMegabytes: (bytesOf(folder) - bytesBefore) / 1_000_000, versions: versionsIn(folder) };
}

/** Throws if another Node runs the app than it is to be tried with. */
async function checkNode({ nodeVersion }: FreshApp, folder: string): Promise<void> {
  if (nodeVersion === undefined) return;
  const printed = await runCommand('npm exec --call "node --version"', folder, { maxSeconds: 60 });
  if (!printed.split("\n").includes(`v${nodeVersion}`)) throw new CommandError(`The app has another Node: ${printed}`);
}

function warningsIn(output: string): readonly string[] {
  const lines = output.split("\n").filter((line) => /^npm warn(?! Unknown user config)/i.test(line));
  // npm names the install script of one package differently from time to time.
  return lines.map((line) => line.replace(/ \(install: .*/, ""));
}

function bytesOf(folder: string): number {
  // npm removes a second copy of the package `node` with the next installation.
  const options = { cwd: folder, withFileTypes: true, exclude: ["node_modules/node/**"] } as const;
  const files = globSync("node_modules/**/*", options).filter((entry) => entry.isFile());
  return files.reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0);
}

/** Names what the app has chosen itself, with the versions that npm has installed. */
function versionsIn(folder: string): string {
  const { dependencies } = readJson(join(folder, "package.json"));
  const chosen = Object.keys(dependencies).filter((name) => !/^@(doorcode|types)\//.test(name));
  return chosen
    .map((name) => `${name} ${readJson(join(folder, "node_modules", name, "package.json")).version}`)
    .join(", ");
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, "utf8"));
}
