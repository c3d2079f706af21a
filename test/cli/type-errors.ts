import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Modules that the workspace does not have: of any type, or with their declarations. */
const declarations = `${[
  "@fastify/autoload",
  "@prisma/client",
  "dotenv",
  "drizzle-orm/postgres-js",
  "express-jwt",
  "next-auth",
  "next-auth/jwt",
  "next/headers",
  "next/server",
  "passport-jwt",
  "postgres",
  "$env/dynamic/private",
]
  .map((name) => `declare module "${name}";\n`)
  .join("")}declare module "@sveltejs/kit" {
  interface RequestEvent {
    request: Request;
    getClientAddress(): string;
  }
}
declare module "jsonwebtoken" {
  const jwt: {
    sign(payload: object, secret: string, options?: object): string;
    verify(token: string, secret: string): string | object;
  };
  export default jwt;
}
`;

/** Compiles apps, whose folders stand beside each other, as one project under strict options. Returns the errors. */
export function typeErrors(folders: readonly string[]): string {
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
    paths: { "@/*": folders.map((folder) => `../${basename(folder)}/*`) },
  };
  const project = mkdtempSync(join(dirname(folders[0] ?? ""), "types-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const include = ["modules.d.ts", ...folders.map((folder) => `../${basename(folder)}/**/*.ts`)];
  const exclude = folders.map((folder) => `../${basename(folder)}/node_modules`);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include, exclude }));
  writeFileSync(join(project, "modules.d.ts"), declarations);
  // One thread takes half the time of several.
  const { status, stdout } = spawnSync("tsc", ["-p", project, "--singleThreaded"], { encoding: "utf8" });
  return status === 0 ? "" : `exit code ${status}: ${stdout}`;
}
