import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { importsOf, readSource, resolveImport, type SourceFile } from "./source-file.ts";

const stems = ["src/server", "src/app", "src/index", "src/main", "server", "app", "index", "main"];
const extensions = ["ts", "mts", "js", "mjs", "cjs", "cts"];
const isBuilt = (path: string) => /(^|\/)(dist|build|out|node_modules)\//.test(path);

/** Files of an app beyond which nothing is searched. */
const maxFiles = 200;

/** Finds the sources of an app: the files that its scripts and package.json name, usual names, and all that these import. */
export function findSources(folder: string, { scripts, main }: Manifest): readonly SourceFile[] {
  const inScripts = [scripts.dev, scripts.start].flatMap((script) => script?.match(/[\w@./-]+\.[cm]?[jt]s\b/g) ?? []);
  const usual = stems.flatMap((stem) => extensions.map((extension) => `${stem}.${extension}`));
  const roots = [...inScripts, ...(main ? [main] : []), ...usual].filter((path) => !isBuilt(path));
  const waiting = roots.map((path) => join(folder, path)).filter((path) => existsSync(path));
  const files = new Map<string, SourceFile | undefined>();
  for (let path = waiting.shift(); path !== undefined && files.size < maxFiles; path = waiting.shift()) {
    if (files.has(path)) continue;
    const file = readSource(path);
    files.set(path, file);
    const from = path;
    if (file) waiting.push(...importsOf(file).flatMap((specifier) => resolveImport(from, specifier) ?? []));
  }
  return [...files.values()].filter((file) => file !== undefined);
}
