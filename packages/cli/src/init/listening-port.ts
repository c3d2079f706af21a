import type { AnyNode } from "acorn";
import { nodesIn, type SourceFile } from "./source-file.ts";
import { callsIn, declaredValue, keyOf, literalText, memberPath } from "./syntax.ts";

/**
 * Finds the port on which the app listens, in its sources: `app.listen(process.env.PORT ?? 8080)`, also if `app.set("port", …)`, a
 * variable or a module of settings holds it.
 */
export function listeningPort(files: readonly SourceFile[]): number | undefined {
  for (const file of files) {
    for (const { callee, arguments: given } of callsIn(file.program)) {
      if (!isListen(callee)) continue;
      for (const argument of given) {
        const port = numberIn(argument) ?? numberOfSetting(files, argument) ?? numberOfVariable(file, argument);
        if (port !== undefined) return port;
        break;
      }
    }
  }
  return undefined;
}

/** `app.listen()`, and `serve()` of `@hono/node-server`. */
function isListen(callee: AnyNode): boolean {
  return memberPath(callee)?.at(-1) === "listen" || (callee.type === "Identifier" && callee.name === "serve");
}

/** A number between 1 and 65535 in the text of an expression: `Number(process.env.PORT || "3000")` too. */
function numberIn(node: AnyNode): number | undefined {
  for (const each of nodesIn(node)) {
    const port = each.type === "Literal" ? Number(each.value) : Number.NaN;
    if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  }
  return undefined;
}

/** The number in the variables that an expression names. */
function numberOfVariable(file: SourceFile, expression: AnyNode): number | undefined {
  for (const node of nodesIn(expression)) {
    const value = node.type === "Identifier" ? declaredValue(file, node.name) : undefined;
    const port = value && numberIn(value);
    if (port !== undefined) return port;
  }
  return undefined;
}

/** The number that the app sets elsewhere: `app.set("port", 8080)` for `app.get("port")`, `{ port: 8080 }` for `config.port`. */
function numberOfSetting(files: readonly SourceFile[], expression: AnyNode): number | undefined {
  const nodes = [...nodesIn(expression)];
  const isNamed = nodes.some(
    (node) => literalText(node) === "port" || (node.type === "Identifier" && isPort(node.name)),
  );
  if (!isNamed) return undefined;
  for (const file of files) {
    for (const node of nodesIn(file.program)) {
      const value = settingIn(node);
      const port = value && (numberIn(value) ?? numberOfVariable(file, value));
      if (port !== undefined) return port;
    }
  }
  return undefined;
}

function settingIn(node: AnyNode): AnyNode | undefined {
  if (node.type === "Property" && isPort(keyOf(node.key) ?? "")) return node.value;
  if (node.type !== "CallExpression" || memberPath(node.callee)?.at(-1) !== "set") return undefined;
  const [name, value] = node.arguments;
  return literalText(name) === "port" ? value : undefined;
}

const isPort = (name: string) => /^port$/i.test(name);
