import type { AnyNode, ImportDeclaration, VariableDeclaration } from "acorn";
import { nodesIn, requiredModule, type SourceFile } from "./source-file.ts";

/** The frameworks that have an adapter. */
export const frameworks = ["express", "fastify"] as const;

/** A framework that has an adapter. */
export type Framework = (typeof frameworks)[number];

/** The statement that creates the app: `const app = express();`. */
export interface AppDeclaration {
  /** The file. */
  readonly file: SourceFile;
  /** The framework that it calls. */
  readonly framework: Framework;
  /** The name of the variable. */
  readonly name: string;
  /** The statement. */
  readonly statement: VariableDeclaration;
}

/** Finds all statements of a file that create an app. */
export function findAppDeclarations(file: SourceFile): readonly AppDeclaration[] {
  return frameworks.flatMap((framework) => {
    const factories = factoryNames(file, framework);
    const creates = (node: AnyNode | null | undefined): boolean =>
      node?.type === "CallExpression" &&
      (requiredModule(node.callee) === framework ||
        (node.callee.type === "Identifier" && factories.has(node.callee.name)));
    return [...nodesIn(file.program)].flatMap((node) => {
      if (node.type !== "VariableDeclaration") return [];
      return node.declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" && creates(init) ? [{ file, framework, name: id.name, statement: node }] : [],
      );
    });
  });
}

/** The names under which a file has imported the function that creates an app. */
function factoryNames({ program }: SourceFile, framework: Framework): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of nodesIn(program)) {
    if (node.type === "ImportDeclaration" && node.source.value === framework) {
      for (const each of node.specifiers) if (isFactory(each, framework)) names.add(each.local.name);
    }
    if (node.type === "VariableDeclarator" && requiredModule(node.init) === framework) {
      if (node.id.type === "Identifier") names.add(node.id.name);
      if (node.id.type === "ObjectPattern") names.add(framework);
    }
  }
  return names;
}

function isFactory(specifier: ImportDeclaration["specifiers"][number], framework: Framework): boolean {
  if (specifier.type !== "ImportSpecifier") return true;
  const { imported } = specifier;
  return imported.type === "Identifier" && [framework, "default"].includes(imported.name);
}
