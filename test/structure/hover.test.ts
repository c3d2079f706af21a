import { join, resolve } from "node:path";
import ts from "typescript54";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** The functions whose options an app writes, by the built declarations that have them. */
const entries: Readonly<Record<string, readonly string[]>> = {
  "core/dist/index.d.ts": ["createDoorcode", "serviceCodes", "appCodes", "createMemoryStore"],
  "fetch/dist/index.d.ts": ["phoneLogin", "requireLogin"],
  "express/dist/index.d.ts": ["phoneLogin", "requireLogin"],
  "fastify/dist/index.d.ts": ["phoneLogin", "requireLogin"],
  "operations/dist/express.d.ts": ["operations"],
  "operations/dist/index.d.ts": ["recordFigures"],
  "redis/dist/index.d.ts": ["createRedisStore", "createBullInbox"],
  "postgres/dist/index.d.ts": ["createPostgresStore", "createPostgresInbox"],
  "sqlite/dist/index.d.ts": ["createSqliteStore", "createSqliteInbox"],
};

const files = Object.keys(entries).map((file) => join(root, "packages", file));
const program = ts.createProgram(files, {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
});
const checker = program.getTypeChecker();

/** An option, by its path: `createDoorcode.login.countries`. */
interface Option {
  readonly path: string;
  readonly symbol: ts.Symbol;
  readonly type: ts.Type;
}

function optionsOf(file: string, name: string): readonly Option[] {
  const source = program.getSourceFile(join(root, "packages", file));
  const exported = source && checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol);
  const symbol = exported?.find((candidate) => candidate.name === name);
  if (!symbol) throw new Error(`${file} does not export ${name}.`);
  const found = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const [signature] = checker.getTypeOfSymbol(found).getCallSignatures();
  const parameters = signature?.parameters.filter(({ name }) => name !== "doorcode") ?? [];
  return parameters.flatMap((parameter) => membersOf(checker.getTypeOfSymbol(parameter), name, new Set()));
}

/** Returns the options in a type, and those in their types. Only the kit's own types count: others' are documented elsewhere. */
function membersOf(type: ts.Type, path: string, seen: Set<ts.Type>): readonly Option[] {
  const parts = type.isUnionOrIntersection() ? type.types : [type];
  return parts.flatMap((part) => {
    if (seen.has(part) || part.isUnionOrIntersection()) return seen.has(part) ? [] : membersOf(part, path, seen);
    seen.add(part);
    if (!isOwnObject(part)) return [];
    return checker.getPropertiesOfType(part).flatMap((symbol) => {
      const option = { path: `${path}.${symbol.name}`, symbol, type: checker.getTypeOfSymbol(symbol) };
      // `send?: never` only refuses an option that belongs to another form.
      if (isRefused(option.type)) return [];
      return [option, ...membersOf(option.type, option.path, seen)];
    });
  });
}

function isRefused(type: ts.Type): boolean {
  return (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0;
}

function isOwnObject(type: ts.Type): boolean {
  const isObject = (type.flags & ts.TypeFlags.Object) !== 0 && type.getCallSignatures().length === 0;
  const declared = checker.getPropertiesOfType(type)[0]?.declarations?.[0]?.getSourceFile().fileName ?? "";
  return isObject && /\/packages\/\w+\/dist\//.test(declared);
}

/** The type of an option as an editor shows it. */
function shownType({ symbol, type }: Option): string {
  return checker.typeToString(type, symbol.declarations?.[0]);
}

const functions = Object.entries(entries).flatMap(([file, names]) => names.map((name) => ({ file, name })));

describe.each(functions)("every option of $name in $file", ({ file, name }) => {
  const options = optionsOf(file, name);

  test("has a sentence that an editor shows, however deep it stands", () => {
    const silent = options.filter(({ symbol }) => symbol.getDocumentationComment(checker).length === 0);
    expect(silent.map(({ path }) => path)).toEqual([]);
    expect(options.length).toBeGreaterThan(0);
  });

  test("has a type that a person can read", () => {
    const unreadable = options.filter((option) => shownType(option).length > 160 || /\bZod/.test(shownType(option)));
    expect(unreadable.map((option) => `${option.path}: ${shownType(option)}`)).toEqual([]);
  });
});

test("the options of createDoorcode are walked to the last", () => {
  const paths = optionsOf("core/dist/index.d.ts", "createDoorcode").map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "createDoorcode.login.limits.sendsPerPhone",
      "createDoorcode.login.limits.cooldownSeconds",
      "createDoorcode.login.testNumbers.until",
      "createDoorcode.login.onLogin",
      "createDoorcode.service.dispatcher",
      "createDoorcode.webhooks.on",
    ]),
  );
});
