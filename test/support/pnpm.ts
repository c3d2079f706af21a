import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Returns the command of pnpm: the one that `npm test` has installed, or else the same version by npx. */
export function pnpm(): readonly [string, ...string[]] {
  const installed = join(root, ".doorcode/pnpm/node_modules/pnpm/bin/pnpm.cjs");
  if (existsSync(installed)) return [process.execPath, installed];
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return ["npx", "--yes", String(packageManager).replace(/\+.*/, "")];
}
