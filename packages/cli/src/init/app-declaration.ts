import type { AnyNode, ModuleDeclaration, Statement } from "acorn";
import { exportsOf } from "./exports.ts";
import { importsOf, nodesIn, requiredModule, type SourceFile } from "./source-file.ts";
import { importedNames, isFunction, memberPath, referencesTo } from "./syntax.ts";

/** The frameworks whose app is created by a call, with the module that has it. */
export const frameworks = { express: "express", fastify: "fastify", hono: "hono", nestjs: "@nestjs/core" } as const;

/** A framework whose app is created by a call. */
export type Framework = keyof typeof frameworks;

/** The place where an app comes into being: the statement `const app = express();`, or the beginning of a plugin of Fastify. */
export interface AppDeclaration {
  readonly file: SourceFile;
  readonly framework: Framework;
  /** The name of the variable or parameter. */
  readonly name: string;
  /** The offset at which the statement or the function begins. */
  readonly start: number;
  /** The offset from which on the app exists. */
  readonly end: number;
  /** The statements below, in the same block. */
  readonly rest: readonly (Statement | ModuleDeclaration)[];
}

/** Finds all statements of a file that create an app. */
export function findAppDeclarations(file: SourceFile): readonly AppDeclaration[] {
  return (Object.keys(frameworks) as Framework[]).flatMap((framework) => {
    const imported = [...importedNames(file)].filter(([, { from }]) => from === frameworks[framework]);
    const names = new Map(imported.map(([local, { name }]) => [local, name]));
    return [...nodesIn(file.program)].flatMap((node) => {
      if (node.type !== "Program" && node.type !== "BlockStatement") return [];
      return node.body.flatMap((statement, index) => {
        const name = createdName(statement, framework, names);
        if (name === undefined) return [];
        const { start, end } = statement;
        return [{ file, framework, name, start, end, rest: node.body.slice(index + 1) }];
      });
    });
  });
}

function createdName(
  statement: Statement | ModuleDeclaration,
  framework: Framework,
  names: ReadonlyMap<string, string>,
): string | undefined {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type !== "VariableDeclaration") return undefined;
  for (const { id, init } of declared.declarations) {
    const value = init?.type === "AwaitExpression" ? init.argument : init;
    if (id.type === "Identifier" && creates(value, framework, names)) return id.name;
  }
  return undefined;
}

function creates(node: AnyNode | null | undefined, framework: Framework, names: ReadonlyMap<string, string>): boolean {
  if (node?.type !== "CallExpression" && node?.type !== "NewExpression") return false;
  const [first = "", second] = memberPath(node.callee) ?? [];
  const imported = names.get(first);
  if (framework === "hono") return node.type === "NewExpression" && imported === "Hono";
  if (framework === "nestjs") return imported === "NestFactory" && second === "create";
  if (requiredModule(node.callee) === framework) return true;
  return second === undefined && (imported === "default" || imported === framework);
}

/** Finds the plugin of Fastify that a file exports as the whole app: fastify-cli creates the app, and `@fastify/autoload` fills it. */
export function findAppPlugin(file: SourceFile): AppDeclaration | undefined {
  if (!importsOf(file).includes("@fastify/autoload")) return undefined;
  for (const { name: exported, value } of exportsOf(file)) {
    const plugin = value.type === "CallExpression" ? value.arguments[0] : value;
    const [first] = isFunction(plugin) ? plugin.params : [];
    if (exported !== "default" || !isFunction(plugin) || first?.type !== "Identifier") continue;
    if (plugin.body.type !== "BlockStatement" || referencesTo(plugin.body, first.name).length === 0) continue;
    const { start, body } = plugin;
    return { file, framework: "fastify", name: first.name, start, end: body.start + 1, rest: body.body };
  }
  return undefined;
}
