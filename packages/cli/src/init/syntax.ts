import type { AnyNode, CallExpression, Function as FunctionNode, Identifier, Node, Property } from "acorn";
import { nodesIn, requiredModule, type SourceFile } from "./source-file.ts";

/** Returns the names of a chain of members: `["process", "env", "PORT"]`; undefined for anything else. */
export function memberPath(node: AnyNode | null | undefined): readonly string[] | undefined {
  if (node?.type === "Identifier") return [node.name];
  if (node?.type === "ChainExpression") return memberPath(node.expression);
  if (node?.type !== "MemberExpression" || node.property.type !== "Identifier" || node.computed) return undefined;
  const object = memberPath(node.object);
  return object && [...object, node.property.name];
}

/** Returns the text of a string literal. */
export function literalText(node: AnyNode | null | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

/** Lists the calls below a node. */
export function callsIn(root: Node): readonly CallExpression[] {
  return [...nodesIn(root)].filter((node) => node.type === "CallExpression");
}

/** Returns the name of the method that a call names, also of one such as `(await cookies()).set()`. */
export function methodOf({ callee }: CallExpression): string | undefined {
  return callee.type === "MemberExpression" ? keyOf(callee.property) : undefined;
}

/** A chain of calls, such as `table.string("email").notNull()`. */
export interface CallChain {
  /** The names of the functions, the last one first: `["notNull", "string"]`. */
  readonly methods: readonly string[];
  /** The first call. */
  readonly first: CallExpression | undefined;
}

/** Reads a chain of calls. */
export function callChain(node: AnyNode): CallChain {
  const methods: string[] = [];
  let first: CallExpression | undefined;
  for (let each = node; each.type === "CallExpression"; ) {
    first = each;
    const { callee } = each;
    methods.push(keyOf(callee.type === "MemberExpression" ? callee.property : callee) ?? "");
    each = callee.type === "MemberExpression" ? callee.object : callee;
  }
  return { methods, first };
}

/** Lists the identifiers below a node that refer to a variable of this name: no keys of objects, no names of members. */
export function referencesTo(root: Node, name: string): readonly Identifier[] {
  const nodes = [...nodesIn(root)];
  const names = new Set<Node>();
  for (const node of nodes) {
    if (node.type === "Property" && !node.computed && !node.shorthand) names.add(node.key);
    if (node.type === "MemberExpression" && !node.computed) names.add(node.property);
  }
  return nodes.filter((node) => node.type === "Identifier" && node.name === name && !names.has(node)) as Identifier[];
}

/** Finds a member of an object literal. */
export function memberOf(node: AnyNode | null | undefined, name: string): Property | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  return node.properties.find((each): each is Property => each.type === "Property" && keyOf(each.key) === name);
}

/** Finds the value that a member of an object literal has. */
export function propertyOf(node: AnyNode | null | undefined, name: string): AnyNode | undefined {
  return memberOf(node, name)?.value;
}

/** Returns the name of a key of an object literal. */
export function keyOf(key: AnyNode): string | undefined {
  return key.type === "Identifier" ? key.name : literalText(key);
}

/** Tells whether a node is a function. */
export function isFunction(node: AnyNode | null | undefined): node is FunctionNode & AnyNode {
  return /^(Arrow)?Function/.test(node?.type ?? "");
}

/** Returns the value with which a file declares a variable or a function of this name, wherever it stands. */
export function declaredValue({ program }: SourceFile, name: string): AnyNode | undefined {
  for (const node of nodesIn(program)) {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.id.name === name)
      return node.init ?? undefined;
    if (node.type === "FunctionDeclaration" && node.id?.name === name) return node;
  }
  return undefined;
}

/** A name that a file has imported: the module, and the name in it; `default` for the module itself. */
interface Origin {
  readonly from: string;
  readonly name: string;
}

/** Lists the names that a file has imported or required, with their origins. */
export function importedNames({ program }: SourceFile): ReadonlyMap<string, Origin> {
  const names = new Map<string, Origin>();
  for (const node of nodesIn(program)) {
    if (node.type === "ImportDeclaration") {
      const from = String(node.source.value);
      for (const each of node.specifiers)
        names.set(each.local.name, {
          from,
          name: each.type === "ImportSpecifier" ? (keyOf(each.imported) ?? "") : "default",
        });
    }
    const from = node.type === "VariableDeclarator" ? requiredModule(moduleCall(node.init)) : undefined;
    if (node.type !== "VariableDeclarator" || from === undefined) continue;
    const member = node.init?.type === "MemberExpression" ? memberPath(node.init.property) : undefined;
    if (node.id.type === "Identifier") names.set(node.id.name, { from, name: member?.[0] ?? "default" });
    if (node.id.type !== "ObjectPattern") continue;
    for (const each of node.id.properties)
      if (each.type === "Property" && each.value.type === "Identifier")
        names.set(each.value.name, { from, name: keyOf(each.key) ?? "" });
  }
  return names;
}

/** Finds the origin of what a node calls or creates: of `knex` in `knex({ … })`, of `PrismaClient` in `new PrismaClient()`. */
export function calledOrigin(file: SourceFile, node: AnyNode | null | undefined): Origin | undefined {
  if (node?.type !== "CallExpression" && node?.type !== "NewExpression") return undefined;
  return importedNames(file).get(memberPath(node.callee)?.[0] ?? "");
}

/** Lists the names that a file has imported from a module. */
export function namesFrom(file: SourceFile, module: string): readonly string[] {
  return [...importedNames(file)].filter(([, { from }]) => from === module).map(([name]) => name);
}

/** The `require` in `require("connect-mongo")(session)` and in `require("passport-jwt").Strategy`. */
function moduleCall(node: AnyNode | null | undefined): AnyNode | null | undefined {
  if (node?.type === "CallExpression" && node.callee.type === "CallExpression") return node.callee;
  return node?.type === "MemberExpression" ? node.object : node;
}
