import type { AnyNode, ModuleDeclaration, Statement } from "acorn";
import type { SourceFile } from "./source-file.ts";
import { declaredValue, keyOf, memberPath } from "./syntax.ts";

/** A value that a file of the app exports. */
export interface Exported {
  readonly file: SourceFile;
  /** The name; `default` for the whole of `module.exports`, too. */
  readonly name: string;
  /** The name in the file. */
  readonly local: string;
  /** The expression or function that makes the value. */
  readonly value: AnyNode;
}

/** Lists what a file exports by `export`, `module.exports` or `exports`. */
export function exportsOf(file: SourceFile): readonly Exported[] {
  return file.program.body.flatMap((node) =>
    pairsOf(node).flatMap(([name, given]) => {
      const value = given?.type === "Identifier" ? declaredValue(file, given.name) : given;
      if (name === undefined || !value) return [];
      const own = value.type === "FunctionDeclaration" ? value.id?.name : undefined;
      return [{ file, name, local: given?.type === "Identifier" ? given.name : (own ?? name), value }];
    }),
  );
}

type Pair = readonly [name: string | undefined, value: AnyNode | null | undefined];

function pairsOf(node: Statement | ModuleDeclaration): readonly Pair[] {
  if (node.type === "ExportDefaultDeclaration") return [["default", node.declaration]];
  if (node.type === "ExportNamedDeclaration") {
    const { declaration, specifiers } = node;
    if (declaration?.type === "VariableDeclaration")
      return declaration.declarations.map(({ id, init }) => [keyOf(id), init]);
    if (declaration?.type === "FunctionDeclaration") return [[declaration.id?.name, declaration]];
    return node.source ? [] : specifiers.map(({ exported, local }) => [keyOf(exported), local]);
  }
  const assigned = node.type === "ExpressionStatement" ? node.expression : undefined;
  if (assigned?.type !== "AssignmentExpression") return [];
  const [first, second, ...more] = memberPath(assigned.left) ?? [];
  if (more.length > 1) return [];
  if (first === "exports" && more.length === 0) return [[second, assigned.right]];
  if (first !== "module" || second !== "exports") return [];
  if (more.length === 1) return [[more[0], assigned.right]];
  if (assigned.right.type !== "ObjectExpression") return [["default", assigned.right]];
  return assigned.right.properties.map((each) =>
    each.type === "Property" ? [keyOf(each.key), each.value] : [undefined, null],
  );
}
