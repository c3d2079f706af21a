import type { AnyNode } from "acorn";
import type { AppContext } from "./app-context.ts";
import { importsOf, requiredModule, type SourceFile } from "./source-file.ts";
import { callsIn, importedNames, literalText, memberPath, methodOf, propertyOf } from "./syntax.ts";

const loaders = /^(dotenv(-\w+)?|@dotenvx\/dotenvx|env-cmd)(\/|$)/;
const inScript = /--env-file|dotenv|env-cmd|\bfastify start\b|\bnext (dev|start)\b|\bnx\b|\bvite\b|\bbun\b/;

/** Tells whether the app loads `.env` when a script runs it: by a module, an option of Node, or its framework. */
export function loadsEnvFile({ sources, calls, manifest }: AppContext, script: string): boolean {
  if (inScript.test(script) || manifest.dependencies["@nestjs/config"] !== undefined) return true;
  if (otherEnvFile({ sources }) !== undefined) return false;
  if (calls.some(({ callee }) => memberPath(callee)?.join(".") === "process.loadEnvFile")) return true;
  return sources.some((file) => importsOf(file).some((name) => loaders.test(name)));
}

/** Tells whether a statement of a file loads variables: `dotenv.config();` or `require("dotenv").config();`, also in an `if`. */
export function loadsVariables(file: SourceFile, statement: AnyNode): boolean {
  const imported = importedNames(file);
  return callsIn(statement).some((call) => {
    const path = memberPath(call.callee) ?? [];
    const module = requiredModule(call) ?? imported.get(path[0] ?? "")?.from ?? "";
    return path.join(".") === "process.loadEnvFile" || loaders.test(module);
  });
}

/** Finds the file that the app loads in place of `.env`, if it names one. */
export function otherEnvFile({ sources }: Pick<AppContext, "sources">): string | undefined {
  const named = sources.flatMap((file) => {
    const hasLoader = importsOf(file).some((name) => loaders.test(name));
    return callsIn(file.program).map((call) => {
      const [first] = call.arguments;
      if (memberPath(call.callee)?.join(".") === "process.loadEnvFile") return literalText(first);
      const loads = hasLoader && /^(config|load)$/.test(methodOf(call) ?? "");
      return loads ? literalText(propertyOf(first, "path")) : undefined;
    });
  });
  return named.find((path) => path !== undefined && !/(^|\/)\.env$/.test(path));
}
