import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript54";

/** What package.json names for one entry: a file, or what an importer gets under a condition such as `types`. */
type Target = string | { readonly [condition: string]: Target };

/**
 * Returns the files in a package's `dist` that no app reads: source maps, whose sources are not published, and declarations that no
 * entry of the package leads to.
 */
export function findUnread(folder: string): readonly string[] {
  const read = findDeclarations(folder);
  const built = globSync("dist/**/*.{map,d.ts}", { cwd: folder }).map((file) => join(folder, file));
  return built.filter((file) => !read.has(file));
}

/** Returns the declarations of a package's entries, and all that they import of the package. */
export function findDeclarations(folder: string): ReadonlySet<string> {
  const { exports = {} }: { exports?: Target } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = filesIn(exports).filter((file) => file.endsWith(".d.ts"));
  const found = new Set(entries.map((file) => join(folder, file)));
  // What is added on the way is visited, too.
  for (const file of found) {
    for (const imported of findImports(file).filter((name) => name.startsWith("."))) {
      found.add(resolve(dirname(file), imported.replace(/\.[jt]sx?$/, ".d.ts")));
    }
  }
  return found;
}

/** Returns what a module or a declaration imports, as it is written there. Programs in comments do not count. */
export function findImports(file: string): readonly string[] {
  const { importedFiles, typeReferenceDirectives } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
  return [...importedFiles, ...typeReferenceDirectives].map(({ fileName }) => fileName);
}

function filesIn(target: Target): readonly string[] {
  return typeof target === "string" ? [target] : Object.values(target).flatMap(filesIn);
}
