import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { readStyle } from "@doorcode/operations/page-parts";

interface Asset {
  readonly type: "text/css" | "text/javascript";
  readonly body: string;
}

/** Two folders above this file, in the sources and in the build. */
const packageFolder = new URL("../../", import.meta.url);
/** Browsers get the compiled modules, also when the sandbox runs from its sources, as in its own tests. */
const browserFolder = new URL("dist/page/browser/", packageFolder);

/**
 * Finds a file of the page by its name: `style.css`, `idiomorph.js`, or a module of the page's script. All files are read
 * when the first one is requested.
 */
export function findAsset(name: string): Asset | undefined {
  assets ??= readAssets();
  return assets.get(name);
}

let assets: ReadonlyMap<string, Asset> | undefined;

function readAssets(): ReadonlyMap<string, Asset> {
  const modules = readdirSync(browserFolder).filter((file) => file.endsWith(".js"));
  const idiomorph = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
  const readScript = (file: URL | string): Asset => ({ type: "text/javascript", body: readFileSync(file, "utf8") });
  // It is not compiled, and is read from the sources, which the package contains as well.
  const style = readStyle(new URL("src/page/style.css", packageFolder));
  return new Map([
    ["style.css", { type: "text/css", body: style }],
    ["idiomorph.js", readScript(idiomorph)],
    ...modules.map((file) => [file, readScript(new URL(file, browserFolder))] as const),
  ]);
}
