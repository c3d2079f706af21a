import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "rolldown/utils";
import { bundlePackage } from "./bundle-package.ts";

const folder = join(import.meta.dirname, "../packages/sandbox");

/** Writes the modules of the page's script, which browsers load one by one. */
function writeBrowserModules(): void {
  const [source, target] = ["src", "dist"].map((part) => join(folder, part, "page/browser"));
  if (!source || !target) return;
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(source)) {
    const { code, errors } = transformSync(file, readFileSync(join(source, file), "utf8"), {
      typescript: { rewriteImportExtensions: true },
    });
    if (errors.length > 0) throw new Error(errors.join("\n"));
    writeFileSync(join(target, file.replace(/\.ts$/, ".js")), code);
  }
}

/*
 * The modules of @doorcode/sandbox, with the little of core that they need and all that a start loads: the command is ready after half of
 * the time.
 */
await bundlePackage({
  folder,
  included: ["@doorcode/cli", "@doorcode/core", "libphonenumber-js", "zod", "hono", "@hono/node-server", "tinyqueue"],
});
writeBrowserModules();
