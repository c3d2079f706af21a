import { copyFileSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";

/** What is bundled of a package. */
export interface PackageBundle {
  /** The folder of the package. */
  readonly folder: string;
  /** The packages whose code becomes a part of the bundle. Others are imported. */
  readonly included: readonly string[];
}

/** The metadata that changes with the numbering plans stays a file of libphonenumber-js, which an app can update. */
const phoneMetadata = "libphonenumber-js/max/metadata";

const keepPhoneMetadata: Plugin = {
  name: "keep-phone-metadata",
  resolveId(id) {
    return id.endsWith("/metadata.max.json.js") ? { id: phoneMetadata, external: true } : null;
  },
};

/**
 * Writes the modules of a package into `dist`, a few files instead of hundreds. To find and to read a file takes Node longer than to
 * compile it. What several entries have in common is in `dist/chunks`.
 */
export async function bundlePackage({ folder, included }: PackageBundle): Promise<void> {
  const isIncluded = (id: string) => included.some((name) => id === name || id.startsWith(`${name}/`));
  const modules = new Set<string>();
  const build = await rolldown({
    input: Object.fromEntries(readEntries(folder).map((entry) => [basename(entry, ".ts"), join(folder, entry)])),
    external: (id) => isPackage(id) && !isIncluded(id),
    platform: "node",
    resolve: { conditionNames: ["@doorcode/source", "node", "import", "default"] },
    plugins: [keepPhoneMetadata],
    logLevel: "warn",
  });
  const { output } = await build.write({
    dir: join(folder, "dist"),
    chunkFileNames: "chunks/[name].js",
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  for (const each of output) if (each.type === "chunk") for (const id of each.moduleIds) modules.add(id);
  copyLicences(folder, [...modules]);
}

/** Returns the sources of the entries and of a command, as package.json names them. */
function readEntries(folder: string): readonly string[] {
  const { exports, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const sources = Object.values<{ "@doorcode/source"?: string }>(exports).map((entry) => entry["@doorcode/source"]);
  return [...sources.filter((source) => source !== undefined), ...(bin ? ["./src/cli.ts"] : [])];
}

function isPackage(id: string): boolean {
  return !id.startsWith(".") && !id.startsWith("/") && !/^[A-Za-z]:/.test(id);
}

/** The licences of the packages whose code is in the bundle ask for a copy beside it. */
function copyLicences(folder: string, modules: readonly string[]): void {
  const roots = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  );
  for (const root of roots) {
    const name = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)$/.exec(root)?.[1]?.replace(/[\\/]/, "-");
    for (const file of globSync("LICENSE*", { cwd: root })) {
      copyFileSync(join(root, file), join(folder, "dist", `${file}.${name}`));
    }
  }
}
