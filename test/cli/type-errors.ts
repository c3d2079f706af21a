import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compiles an app under strict options. Modules that the workspace does not have are of any type, or have these declarations. Returns the
 * errors.
 */
export function typeErrors(folder: string, modules: readonly string[], declarations = ""): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "preserve",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    esModuleInterop: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ["node"],
    paths: { "@/*": ["./*"] },
  };
  const config = { compilerOptions, include: ["**/*.ts"], exclude: ["node_modules"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(
    join(folder, "modules.d.ts"),
    modules.map((name) => `declare module "${name}";\n`).join("") + declarations,
  );
  const { status, stdout } = spawnSync("tsc", ["-p", folder], { encoding: "utf8" });
  return status === 0 ? "" : `exit code ${status}: ${stdout}`;
}
