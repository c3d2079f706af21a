import { copyFileSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const folder = join(import.meta.dirname, "../packages/core");

/** The metadata that changes with the numbering plans stays a file of libphonenumber-js, which an app can update. */
const phoneMetadata = "libphonenumber-js/max/metadata";

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
 * The code of libphonenumber-js is among them, without the half that the kit does not use. Other packages are imported.
 */
async function bundleCore(): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(readEntries().map((entry) => [basename(entry, ".ts"), join(folder, entry)])),
    external: (id) => isPackage(id) && id !== "libphonenumber-js/max",
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

/** The licences of libphonenumber-js ask for a copy beside its code. */
function copyLicences(): void {
  const library = join(folder, "node_modules/libphonenumber-js");
  for (const file of globSync("LICENSE*", { cwd: library })) {
    copyFileSync(join(library, file), join(folder, "dist", `${file}.libphonenumber-js`));
  }
}

await bundleCore();
