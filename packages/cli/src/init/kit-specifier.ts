import { dirname, extname, join, relative, sep } from "node:path";
import type { Manifest } from "./manifest.ts";
import { readText } from "./own-file.ts";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * Chooses the ending of relative imports in a file of the app, for an imported file with a given extension: that of the file's other
 * imports, or else the one that the app's way of running TypeScript needs.
 */
export function importEnding(folder: string, file: SourceFile, manifest: Manifest): (extension: string) => string {
  const own = extname(file.path);
  const others = importsOf(file).filter((specifier) => /^\.\.?\//.test(specifier) && !specifier.endsWith(".json"));
  const [other] = others;
  if (other !== undefined) return () => /\.[cm]?[jt]s$/.exec(other)?.[0] ?? "";
  if (!/ts$/.test(own)) return (extension) => extension;
  const ending = typeScriptEnding(folder, own, manifest);
  return () => ending;
}

function typeScriptEnding(folder: string, extension: string, { scripts, isModule }: Manifest): string {
  const runsTypes = Object.values(scripts).some((script) => /\bnode\b[^&|]*\.[cm]?ts\b/.test(script ?? ""));
  const config = join(folder, "tsconfig.json");
  const namesTypes = /"(allowImportingTsExtensions|rewriteRelativeImportExtensions)":\s*true/.test(
    readText(config) ?? "",
  );
  if (runsTypes || namesTypes) return extension;
  return isModule || extension === ".mts" ? extension.replace("t", "j") : "";
}

/** Writes the specifier with which one file imports another. */
export function specifierBetween(from: string, to: string, ending: string): string {
  const path = relative(dirname(from), to.slice(0, -extname(to).length))
    .split(sep)
    .join("/");
  return `${path.startsWith(".") ? path : `./${path}`}${ending}`;
}
