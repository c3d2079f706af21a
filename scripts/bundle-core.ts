import { copyFileSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const folder = join(import.meta.dirname, "../packages/core");

/** The metadata that changes with the numbering plans stays a file of libphonenumber-js, which an app can update. */
const phoneMetadata = "libphonenumber-js/max/metadata";

/** What is imported of the packages whose code becomes a part of core's files, without what the kit does not use. */
const bundled: readonly string[] = ["libphonenumber-js/max", "zod"];

const keepPhoneMetadata: Plugin = {
  name: "keep-phone-metadata",
  resolveId(id) {
    return id.endsWith("/metadata.max.json.js") ? { id: phoneMetadata, external: true } : null;
  },
};

/**
 * Writes the modules of @doorcode/core into `dist`, a few files instead of two hundred. To find and to read a file takes Node
 * longer than to compile it.
 *
 * The code of libphonenumber-js and of zod is among them. Other packages are imported.
 */
async function bundleCore(): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(readEntries().map((entry) => [basename(entry, ".ts"), join(folder, entry)])),
    external: (id) => isPackage(id) && !bundled.includes(id),
    platform: "node",
    plugins: [keepPhoneMetadata],
    logLevel: "warn",
  });
  await build.write({
    dir: join(folder, "dist"),
    chunkFileNames: "chunks/[name].js",
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  copyLicences();
}

/** Returns the sources of the entries and of the command, as package.json names them. */
function readEntries(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const sources = Object.values<{ "@doorcode/source"?: string }>(exports).map((entry) => entry["@doorcode/source"]);
  return [...sources.filter((source) => source !== undefined), "./src/cli.ts"];
}

function isPackage(id: string): boolean {
  return !id.startsWith(".") && !id.startsWith("/") && !/^[A-Za-z]:/.test(id);
}

/** The licences of the bundled packages ask for a copy beside their code. */
function copyLicences(): void {
  for (const name of bundled.map((imported) => imported.split("/")[0] ?? imported)) {
    const library = join(folder, "node_modules", name);
    for (const file of globSync("LICENSE*", { cwd: library })) {
      copyFileSync(join(library, file), join(folder, "dist", `${file}.${name}`));
    }
  }
}

await bundleCore();
