import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript54";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Returns the exports of a source that have no doc comment, as `file: name`. A function of several forms has one at the first. */
function undocumentedIn(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(resolve(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const documented = new Set<string>();
  return source.statements.filter(isExported).flatMap((statement) => {
    const names = namesOf(statement);
    if (ts.getJSDocCommentsAndTags(statement).length === 0) {
      return names.filter((name) => !documented.has(name)).map((name) => `${file}: ${name}`);
    }
    for (const name of names) documented.add(name);
    return [];
  });
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const name = ts.getNameOfDeclaration(statement as ts.DeclarationStatement);
  return [name?.getText() ?? "default"];
}

test("every export of the packages has a doc comment", () => {
  const sources = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root });
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.flatMap(undocumentedIn)).toEqual([]);
});
