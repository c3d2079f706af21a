import { readdirSync, readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { readStyle } from "@doorcode/operations/page-parts";

interface Asset {
  readonly type: "text/css" | "text/javascript";
  readonly body: string;
}

/** `.ts` when the sandbox runs from its sources, as in its own tests; `.js` when it was built. */
const ownExtension = extname(fileURLToPath(import.meta.url));
/** Two folders above this file, in the sources and in the build. */
const packageFolder = new URL("../../", import.meta.url);
const browserFolder = new URL(`${ownExtension === ".ts" ? "src" : "dist"}/page/browser/`, packageFolder);

/**
 * Finds a file of the page by its name: `style.css`, `idiomorph.js`, or a module of the page's script. All files are read
 * when the first one is requested.
 */
export function findAsset(name: string): Asset | undefined {
  assets ??= readAssets();
  return assets.get(name.replace(/\.ts$/, ".js"));
}

let assets: ReadonlyMap<string, Asset> | undefined;

function readAssets(): ReadonlyMap<string, Asset> {
  const modules = readdirSync(browserFolder).filter((file) => extname(file) === ownExtension);
  const idiomorph = createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js");
  const readModule = (file: string) => {
    const source = readFileSync(new URL(file, browserFolder), "utf8");
    return ownExtension === ".ts" ? stripTypeScriptTypes(source) : source;
  };
  // It is not compiled, and is read from the sources, which the package contains as well.
  const style = readStyle(new URL("src/page/style.css", packageFolder));
  const script = (body: string): Asset => ({ type: "text/javascript", body });
  return new Map([
    ["style.css", { type: "text/css", body: style }],
    ["idiomorph.js", script(readFileSync(idiomorph, "utf8"))],
    ...modules.map((file) => [file.replace(/\.ts$/, ".js"), script(readModule(file))] as const),
  ]);
}
