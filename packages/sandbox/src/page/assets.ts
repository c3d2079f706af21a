import { readdirSync, readFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** A file that the page loads. */
export interface Asset {
  readonly type: "text/css" | "text/javascript";
  readonly body: string;
}

const styles = [
  "base",
  "frame",
  "notice",
  "controls",
  "card",
  "inbox",
  "message",
  "timeline",
  "webhooks",
  "portal",
  "clock",
  "narrow",
];
/** `.ts` when the sandbox runs from its sources, as in its own tests, and `.js` when it was built. */
const ownExtension = extname(fileURLToPath(import.meta.url));

/**
 * Finds what the page loads, by its name: `style.css`, `idiomorph.js` and the modules of its script. Everything is read
 * once, when the first page is asked for.
 */
export function findAsset(name: string): Asset | undefined {
  assets ??= readAssets();
  return assets.get(name.replace(/\.ts$/, ".js"));
}

let assets: ReadonlyMap<string, Asset> | undefined;

function readAssets(): ReadonlyMap<string, Asset> {
  const modules = readdirSync(new URL("./browser/", import.meta.url)).filter((file) => extname(file) === ownExtension);
  return new Map([
    ["style.css", { type: "text/css", body: styles.map(readStyle).join("\n") }],
    [
      "idiomorph.js",
      script(readFileSync(createRequire(import.meta.url).resolve("idiomorph/dist/idiomorph.esm.js"), "utf8")),
    ],
    ...modules.map((file) => [file.replace(/\.ts$/, ".js"), script(readModule(file))] as const),
  ]);
}

function readModule(file: string): string {
  const source = readFileSync(new URL(`./browser/${file}`, import.meta.url), "utf8");
  return ownExtension === ".ts" ? stripTypeScriptTypes(source) : source;
}

/** Style sheets are not compiled: they are read from the sources, which the package holds too. */
function readStyle(name: string): string {
  return readFileSync(new URL(`../../src/page/style/${name}.css`, import.meta.url), "utf8");
}

function script(body: string): Asset {
  return { type: "text/javascript", body };
}
