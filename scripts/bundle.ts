import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const folder = join(import.meta.dirname, "../packages/browser");

/** The files of @doorcode/browser for apps without a bundler. */
export interface Bundle {
  /** A module that defines `<phone-login>`, with all that it needs. */
  readonly script: string;
  readonly style: string;
}

/** Makes one minified module of an entry of @doorcode/browser and all that it needs. */
export async function bundleEntry(entry: string): Promise<string> {
  const build = await rolldown({ input: join(folder, "src", entry), logLevel: "warn" });
  const { output } = await build.generate({ format: "esm", minify: true, comments: false });
  await build.close();
  return output[0].code;
}

/** Makes the bundle of the sources. The same sources give the same bundle. */
export async function makeBundle(): Promise<Bundle> {
  const style = readFileSync(join(folder, "src/phone-login.css"), "utf8");
  return { script: await bundleEntry("define.ts"), style: withoutSpace(style) };
}

/** Removes the comments and the space of a style sheet that no browser needs. */
function withoutSpace(style: string): string {
  return style
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>]) ?/g, "$1")
    .replace(/: /g, ":")
    .replaceAll(";}", "}")
    .trim();
}

/** Writes the bundle as a module of two texts, which `@doorcode/browser/server` exports. */
export async function writeBundle(): Promise<void> {
  const { script, style } = await makeBundle();
  mkdirSync(join(folder, "dist"), { recursive: true });
  const lines = Object.entries({ phoneLoginScript: script, phoneLoginStyle: style });
  const text = lines.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`).join("");
  writeFileSync(join(folder, "dist/bundle.js"), text);
}

if (import.meta.main) await writeBundle();
