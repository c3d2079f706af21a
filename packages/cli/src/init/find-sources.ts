import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { isOwnFile } from "./own-file.ts";
import { importsOf, readSource, resolveImport, type SourceFile } from "./source-file.ts";

const stems = ["src/server", "src/app", "src/index", "src/main", "server", "app", "index", "main"];
const extensions = ["ts", "mts", "js", "mjs", "cjs", "cts"];
const isBuilt = (path: string) => /(^|\/)(dist|build|out|node_modules)\//.test(path);

/** Files of an app beyond which nothing is searched. */
const maxFiles = 500;

/** Finds the sources of an app in its folder: the files that its scripts and package.json name, usual names, and all that these import. */
export function findSources(folder: string, { scripts, main }: Manifest): readonly SourceFile[] {
  const inScripts = [scripts.dev, scripts.start].flatMap((script) => script?.match(/[\w@./-]+\.[cm]?[jt]s\b/g) ?? []);
  const usual = stems.flatMap((stem) => extensions.map((extension) => `${stem}.${extension}`));
  const roots = [...inScripts, ...(main ? [main] : []), ...usual, "bin/www"].filter((path) => !isBuilt(path));
  const waiting = roots.map((path) => join(folder, path)).filter((path) => existsSync(path) && isOwnFile(folder, path));
  const files = new Map<string, SourceFile | undefined>();
  for (let path = waiting.shift(); path !== undefined && files.size < maxFiles; path = waiting.shift()) {
    if (files.has(path)) continue;
    const file = readSource(path);
    files.set(path, file);
    const from = path;
    const imported = file ? importsOf(file).flatMap((specifier) => resolveImport(from, specifier) ?? []) : [];
    waiting.push(...imported.filter((each) => isOwnFile(folder, each)));
  }
  return [...files.values()].filter((file) => file !== undefined);
}

const isForeign = (name: string) =>
  /^(\.|(node_modules|dist|build|out|coverage|public|e2e|(__)?tests?(__)?)$)|[.-](test|spec|d)\.[cm]?[jt]s$/.test(name);

/**
 * Finds all sources in the folder of an app, without those of tests: what a framework loads by its place, or what is imported by an alias.
 * Links are not followed.
 */
export function findAllSources(folder: string, found: readonly SourceFile[]): readonly SourceFile[] {
  const files = new Map(found.map((file) => [file.path, file]));
  const waiting = [folder];
  for (let path = waiting.shift(); path !== undefined && files.size < maxFiles; path = waiting.shift()) {
    for (const entry of entriesOf(path).filter(({ name }) => !isForeign(name))) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) waiting.push(below);
      if (!entry.isFile() || !/\.[cm]?[jt]s$/.test(entry.name) || files.has(below)) continue;
      const file = readSource(below);
      if (file) files.set(below, file);
    }
  }
  return [...files.values()];
}

/** A folder that this user may not read, such as the data of a database in a container, has no sources. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
