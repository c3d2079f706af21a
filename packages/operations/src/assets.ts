import { readFileSync } from "node:fs";
import { readStyle } from "./page-parts.ts";

/** A file that the page loads. */
export interface Asset {
  readonly type: string;
  readonly body: string;
}

let assets: ReadonlyMap<string, Asset> | undefined;

/** Finds a file of the page by its path below the mount. All files are read when the first one is requested. */
export function findAsset(path: string): Asset | undefined {
  assets ??= readAssets();
  return assets.get(path);
}

function readAssets(): ReadonlyMap<string, Asset> {
  const script = readFileSync(new URL("browser/live.js", import.meta.url), "utf8");
  // It is not compiled, and is read from the sources, which the package contains as well.
  const style = readStyle(new URL("../src/page/operations.css", import.meta.url));
  return new Map([
    ["/style.css", { type: "text/css", body: style }],
    ["/live.js", { type: "text/javascript", body: script }],
  ]);
}

/** The paths of the files. */
export const assetPaths: readonly string[] = ["/style.css", "/live.js"];
