import type { AnyNode } from "acorn";
import { nodesIn, type SourceFile } from "./source-file.ts";

/** Finds the port on which the app listens, in its sources: `app.listen(process.env.PORT ?? 8080)`. Default: 3000. */
export function listeningPort(files: readonly SourceFile[]): number {
  for (const { program } of files) {
    const nodes = [...nodesIn(program)];
    for (const node of nodes) {
      const [argument] = node.type === "CallExpression" && isListen(node.callee) ? node.arguments : [];
      const port = argument && (numberIn(argument) ?? numberOfVariable(nodes, argument));
      if (port !== undefined) return port;
    }
  }
  return 3000;
}

function isListen(callee: AnyNode): boolean {
  return (
    callee.type === "MemberExpression" && callee.property.type === "Identifier" && callee.property.name === "listen"
  );
}

/** A number between 1 and 65535 in the text of an expression: `Number(process.env.PORT || "3000")` too. */
function numberIn(node: AnyNode): number | undefined {
  for (const each of nodesIn(node)) {
    const port = each.type === "Literal" ? Number(each.value) : Number.NaN;
    if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  }
  return undefined;
}

/** The number of the variables that an expression names. */
function numberOfVariable(nodes: readonly AnyNode[], expression: AnyNode): number | undefined {
  const names = [...nodesIn(expression)].flatMap((node) => (node.type === "Identifier" ? [node.name] : []));
  for (const node of nodes) {
    if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier" || !names.includes(node.id.name)) continue;
    const port = node.init ? numberIn(node.init) : undefined;
    if (port !== undefined) return port;
  }
  return undefined;
}
