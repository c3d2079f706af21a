import { spawnSync } from "node:child_process";
import { globSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pnpm } from "../support/pnpm.ts";
import { CommandError, runCommand } from "./command.ts";

const root = resolve(import.meta.dirname, "../..");

/** The packed packages, by folder: `core` and the others. */
export type Tarballs = ReadonlyMap<string, string>;

/**
 * Packs all packages, as they are built, into a folder, as a release does: by pnpm, which puts versions in place of `workspace:`.
 *
 * @throws CommandError if pnpm fails
 */
export async function packPackages(folder: string): Promise<Tarballs> {
  const names = readdirSync(join(root, "packages"));
  // Other processes use the build.
  const env = { npm_config_ignore_scripts: "true" };
  const words = [...pnpm(), "--recursive", "--filter=./packages/*", "pack", "--pack-destination", folder];
  await runCommand(words.map((word) => JSON.stringify(word)).join(" "), root, { maxSeconds: 300, env });
  return new Map(names.map((name) => [name, tarballOf(name, folder)]));
}

function tarballOf(name: string, folder: string): string {
  const [tarball] = globSync(`doorcode-${name}-*.tgz`, { cwd: folder });
  if (tarball === undefined) throw new CommandError(`@doorcode/${name} was not packed.`);
  return join(folder, tarball);
}

/** Tells whether the registry answers, which an installation needs. */
export function reachesRegistry(): boolean {
  const options = ["--prefer-online", "--fetch-retries=0", "--fetch-timeout=10000"];
  return (
    spawnSync("npm", ["view", "express", "version", ...options], { stdio: "ignore", timeout: 30_000 }).status === 0
  );
}
