import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "lightningcss";
import { rolldown } from "rolldown";

/*
 * Writes the login page's script and style as a module of two texts, which `@doorcode/browser/server` exports for apps without a bundler.
 */

const folder = join(import.meta.dirname, "../packages/browser");

/** Makes one minified module of an entry of @doorcode/browser and all that it needs. */
export async function bundleEntry(entry: string): Promise<string> {
  const build = await rolldown({ input: join(folder, "src", entry), logLevel: "warn" });
  const { output } = await build.generate({ format: "esm", minify: true, comments: false });
  await build.close();
  return output[0].code;
}

/** Makes the module of two texts. */
export async function makeBundle(): Promise<string> {
  const filename = join(folder, "src/phone-login.css");
  const { code } = transform({ filename, code: readFileSync(filename), minify: true });
  const texts = { phoneLoginScript: await bundleEntry("define.ts"), phoneLoginStyle: code.toString() };
  const lines = Object.entries(texts).map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`);
  return lines.join("");
}

async function writeBundle(): Promise<void> {
  const file = join(folder, "dist/bundle.js");
  const made = await makeBundle();
  // Other processes may read it: a build that changes nothing must not write.
  if (!existsSync(file) || readFileSync(file, "utf8") !== made) writeFileSync(file, made);
}

// Node 22 has no `import.meta.main`.
if (process.argv[1] === import.meta.filename) await writeBundle();
