import { extname, join } from "node:path";
import type { Manifest } from "./manifest.ts";
import { readText } from "./own-file.ts";
import { importsOf, type SourceFile } from "./source-file.ts";

/**
 * Chooses the specifier with which a file imports the kit beside it: with the ending of the file's other imports, or else the one
 * that the app's way of running TypeScript needs.
 */
export function kitSpecifier(folder: string, file: SourceFile, { scripts, isModule }: Manifest): string {
  const extension = extname(file.path);
  const others = importsOf(file).filter((specifier) => /^\.\.?\//.test(specifier) && !specifier.endsWith(".json"));
  const [other] = others;
  if (other !== undefined) return `./doorcode${/\.[cm]?[jt]s$/.exec(other)?.[0] ?? ""}`;
  if (!/ts$/.test(extension)) return `./doorcode${extension}`;
  const runsTypes = Object.values(scripts).some((script) => /\bnode\b[^&|]*\.[cm]?ts\b/.test(script ?? ""));
  const config = join(folder, "tsconfig.json");
  const namesTypes = /"(allowImportingTsExtensions|rewriteRelativeImportExtensions)":\s*true/.test(
    readText(config) ?? "",
  );
  if (runsTypes || namesTypes) return `./doorcode${extension}`;
  return isModule || extension === ".mts" ? `./doorcode${extension.replace("t", "j")}` : "./doorcode";
}
