import { dirname, extname, join, relative, sep } from "node:path";
import type { Manifest } from "./manifest.ts";
import { readText } from "./own-file.ts";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * Chooses the ending of relative imports in a file of the app, for an imported file with a given extension: in the way of the file's other
 * imports, or else as the app's way of running TypeScript needs it.
 */
export function importEnding(folder: string, file: SourceFile, manifest: Manifest): (extension: string) => string {
  const own = extname(file.path);
  const others = importsOf(file).filter((specifier) => /^\.\.?\//.test(specifier) && !specifier.endsWith(".json"));
  const named = others.find((specifier) => /\.[cm]?[jt]s$/.test(specifier));
  if (named !== undefined) return /ts$/.test(named) ? (extension) => extension : runningEnding;
  if (others.length > 0) return unnamedEnding;
  if (!/ts$/.test(own)) return (extension) => extension;
  return typeScriptEnding(folder, own, manifest);
}

/** The ending of what runs in place of a file: `.mjs` of `.mts`. */
function runningEnding(extension: string): string {
  return extension.replace("t", "j");
}

/** Only the two usual extensions are found without being named. */
function unnamedEnding(extension: string): string {
  return /^\.[jt]s$/.test(extension) ? "" : runningEnding(extension);
}

function typeScriptEnding(
  folder: string,
  extension: string,
  { scripts, isModule }: Manifest,
): (extension: string) => string {
  const runsTypes = Object.values(scripts).some((script) => /\bnode\b[^&|]*\.[cm]?ts\b/.test(script ?? ""));
  const config = join(folder, "tsconfig.json");
  const namesTypes = /"(allowImportingTsExtensions|rewriteRelativeImportExtensions)":\s*true/.test(
    readText(config) ?? "",
  );
  if (runsTypes || namesTypes) return (extension) => extension;
  return isModule || extension === ".mts" ? runningEnding : unnamedEnding;
}

/** Writes the specifier with which one file imports another. */
export function specifierBetween(from: string, to: string, ending: string): string {
  const path = relative(dirname(from), to.slice(0, -extname(to).length))
    .split(sep)
    .join("/");
  return `${path.startsWith(".") ? path : `./${path}`}${ending}`;
}
