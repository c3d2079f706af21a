import type { AppContext } from "./app-context.ts";
import { importsOf } from "./source-file.ts";
import { callsIn, literalText, memberPath, propertyOf } from "./syntax.ts";

const loaders = /^(dotenv(-\w+)?|@dotenvx\/dotenvx|env-cmd)(\/|$)/;
const inScript = /--env-file|dotenv|env-cmd|\bfastify start\b|\bnext (dev|start)\b|\bvite\b|\bbun\b/;

/** Tells whether the app loads `.env` when a script runs it: by a module, an option of Node, or its framework. */
export function loadsEnvFile({ sources, manifest }: AppContext, script: string): boolean {
  if (inScript.test(script) || manifest.dependencies["@nestjs/config"] !== undefined) return true;
  if (otherEnvFile({ sources }) !== undefined) return false;
  const calls = sources.flatMap(({ program }) => callsIn(program));
  if (calls.some(({ callee }) => memberPath(callee)?.join(".") === "process.loadEnvFile")) return true;
  return sources.some((file) => importsOf(file).some((name) => loaders.test(name)));
}

/** Finds the file that the app loads in place of `.env`, if it names one. */
export function otherEnvFile({ sources }: Pick<AppContext, "sources">): string | undefined {
  const files = sources.filter((file) => importsOf(file).some((name) => loaders.test(name)));
  for (const { callee, arguments: given } of files.flatMap(({ program }) => callsIn(program))) {
    if (callee.type !== "MemberExpression" || !/^(config|load)$/.test(memberPath(callee.property)?.[0] ?? "")) continue;
    const path = literalText(propertyOf(given[0], "path"));
    if (path !== undefined && !/(^|\/)\.env$/.test(path)) return path;
  }
  return undefined;
}
