import { existsSync, statSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, extname, join } from "node:path";
import { type AnyNode, type Node, type Program, parse } from "acorn";
import { readText } from "./own-file.ts";

/** A parsed source file of the app. */
export interface SourceFile {
  readonly path: string;
  /** The text. The offsets of all nodes are offsets in it. */
  readonly text: string;
  /** The syntax tree, without types. */
  readonly program: Program;
  /** Whether the file has `import` or `export`, and not `require`. */
  readonly isModule: boolean;
}

const extensions = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/** Reads and parses a file. Returns undefined for one that cannot be read or parsed, such as one with JSX or a decorator. */
export function readSource(path: string): SourceFile | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    const program = parse(withoutTypes(path, text), {
      ecmaVersion: "latest",
      sourceType: "module",
      allowHashBang: true,
      allowReturnOutsideFunction: true,
    });
    const isModule = program.body.some(({ type }) => /^(Import|Export)/.test(type));
    return { path, text, program, isModule };
  } catch {
    return undefined;
  }
}

/** Node replaces types by spaces, so that everything else keeps its offset. */
function withoutTypes(path: string, text: string): string {
  if (!/ts$/.test(extname(path))) return text;
  // Node refuses enums, and nothing is looked for in them.
  const plain = text.replace(/\b(export\s+)?(const\s+)?enum\s+\w+\s*\{[^}]*\}/g, (each) => " ".repeat(each.length));
  const stripped = stripTypeScriptTypes(plain);
  if (stripped.length !== text.length) throw new Error("The offsets have moved.");
  return stripped;
}

/** Yields a node and all nodes in it, in the order of the text. It calls nothing again: a sum of thousands of parts is as deep. */
export function* nodesIn(root: Node): Generator<AnyNode> {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node as AnyNode;
    for (const child of Object.values(node).flat().reverse()) if (isNode(child)) waiting.push(child);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Returns the module that a call of `require` names; undefined for any other node. */
export function requiredModule(node: AnyNode | null | undefined): string | undefined {
  if (node?.type !== "CallExpression" || node.callee.type !== "Identifier" || node.callee.name !== "require") return;
  const [argument] = node.arguments;
  return argument?.type === "Literal" && typeof argument.value === "string" ? argument.value : undefined;
}

/** Lists the modules that a file imports or requires. */
export function importsOf({ program }: SourceFile): readonly string[] {
  return [...nodesIn(program)].flatMap((node) => {
    if (node.type === "ImportDeclaration") return [String(node.source.value)];
    return requiredModule(node) ?? [];
  });
}

/** Finds the file that a relative import means. `./app.js` may be `app.ts`. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = join(dirname(from), specifier);
  const stem = path.replace(/\.[cm]?js$/, "");
  const candidates = [
    path,
    ...extensions.map((each) => stem + each),
    ...extensions.map((each) => join(path, `index${each}`)),
  ];
  return candidates.find((each) => existsSync(each) && statSync(each).isFile());
}
