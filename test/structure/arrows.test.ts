import { globSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** What each package may import of the others. Core knows no framework and no database. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  // Types of core, and nothing at run time.
  browser: [],
  express: ["@doorcode/core", "@doorcode/core/adapter"],
  fastify: ["@doorcode/core", "@doorcode/core/adapter"],
  fetch: ["@doorcode/core/adapter"],
  redis: ["@doorcode/core", "@doorcode/core/inbox", "@doorcode/core/store"],
  postgres: ["@doorcode/core", "@doorcode/core/inbox", "@doorcode/core/store"],
  sqlite: ["@doorcode/core", "@doorcode/core/store", "@doorcode/core/inbox"],
  sandbox: [
    "@doorcode/core",
    "@doorcode/core/store",
    "@doorcode/cli/endpoint-check",
    "@doorcode/operations/page-parts",
  ],
  cli: ["@doorcode/core", "@doorcode/core/adapter", "@doorcode/core/store"],
  opentelemetry: ["@doorcode/core"],
  operations: ["@doorcode/core", "@doorcode/core/adapter", "@doorcode/express", "@doorcode/fastify", "@doorcode/fetch"],
  // Types of core, and nothing at run time.
  "store-conformance": ["@doorcode/core/store"],
};

/** All that the sandbox takes of core at run time: the signing function, the parser of E.164, the clock, the endpoint check. */
const sandboxTakes = ["checkEndpoint", "parseE164", "signDelivery", "systemClock"];

const frameworks = /^(express|fastify|hono|koa)(\/|$)/;
const databases = /^(redis|ioredis|bullmq|pg|pg-boss)(\/|$)/;
const isForeign = (module: string) => frameworks.test(module) || databases.test(module);

interface Import {
  readonly file: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** Examples in doc comments import as an app does, and are no arrows. */
function withoutComments(file: string): string {
  return readFileSync(resolve(root, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
}

function importsOf(packageName: string): Import[] {
  return globSync(`packages/${packageName}/src/**/*.{ts,tsx}`, { cwd: root }).flatMap((file) => {
    const text = withoutComments(file);
    return [...text.matchAll(/^(?:import|export) (?!type )(?:[^;]*?\{([^}]*)\})?[^;]*?from "([^"]+)"/gm)].map(
      (found) => ({
        file,
        from: found[2] ?? "",
        names: (found[1] ?? "")
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== "" && !name.startsWith("type ")),
      }),
    );
  });
}

describe.each(Object.keys(mayImport))("@doorcode/%s", (packageName) => {
  const imports = importsOf(packageName);

  test("imports only the allowed entries of other packages", () => {
    const allowed = new Set(mayImport[packageName]);
    const strangers = imports.filter(({ from }) => from.startsWith("@doorcode/") && !allowed.has(from));
    expect(strangers).toEqual([]);
    expect(imports.length).toBeGreaterThan(0);
  });

  test("imports no file of another package by path", () => {
    const home = resolve(root, "packages", packageName, "src");
    const outside = imports.filter(
      ({ file, from }) =>
        from.startsWith(".") && relative(home, resolve(dirname(resolve(root, file)), from)).startsWith(".."),
    );
    expect(outside).toEqual([]);
  });
});

/** Every import between files of a package, types too: a reader follows those as well. */
function graphOf(packageName: string): Map<string, readonly string[]> {
  const files = globSync(`packages/${packageName}/src/**/*.{ts,tsx}`, { cwd: root });
  const targets = (file: string) =>
    [...withoutComments(file).matchAll(/from "(\.[^"]+)"/g)].map((found) =>
      relative(root, resolve(root, dirname(file), found[1] ?? "")),
    );
  return new Map(files.map((file) => [file, targets(file)]));
}

/** A way from a file back to itself, if there is one. */
function circleThrough(start: string, graph: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const seen = new Set<string>();
  const walk = (file: string, path: readonly string[]): readonly string[] | undefined => {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return [...path, next];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = walk(next, [...path, next]);
      if (found) return found;
    }
    return undefined;
  };
  return walk(start, [start]);
}

test.each(Object.keys(mayImport))("no file of @doorcode/%s imports itself through other files", (packageName) => {
  const graph = graphOf(packageName);
  expect([...graph.keys()].map((file) => circleThrough(file, graph)).filter(Boolean)).toEqual([]);
});

/** The packages of others that an app must have, beside what a package brings. */
function dependenciesOf(packageName: string): string[] {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(resolve(root, "packages", packageName, "package.json"), "utf8"),
  );
  return Object.keys({ ...dependencies, ...peerDependencies });
}

test.each([
  { packageName: "core", knows: [] },
  { packageName: "browser", knows: [] },
  { packageName: "cli", knows: [] },
  { packageName: "express", knows: ["express"] },
  { packageName: "fastify", knows: ["fastify"] },
  { packageName: "fetch", knows: [] },
  { packageName: "redis", knows: ["bullmq", "ioredis"] },
  { packageName: "postgres", knows: ["pg"] },
  { packageName: "sqlite", knows: [] },
])("of frameworks, databases and queues @doorcode/$packageName knows $knows", ({ packageName, knows }) => {
  const imported = importsOf(packageName).map(({ from }) => from);
  expect(imported.filter((from) => isForeign(from) && !knows.some((known) => known === from))).toEqual([]);
  expect(dependenciesOf(packageName).filter(isForeign).sort()).toEqual(knows);
});

test("the sandbox imports from core only what it must share with the kit", () => {
  const names = importsOf("sandbox")
    // The page parts are an entry that was made for the sandbox: it may take all of them.
    .filter(({ from }) => from.startsWith("@doorcode/") && from !== "@doorcode/operations/page-parts")
    .flatMap((found) => found.names);
  expect([...new Set(names)].sort()).toEqual(sandboxTakes);
});

/** The folders of core from the bottom up: each imports only those before it. A file of the root is an entry or wiring. */
const floors = [
  "util",
  "store",
  "phone",
  "service",
  "webhooks",
  "limits",
  "codes",
  "verify",
  "login",
  "sessions",
  "http",
];

test("inside core, each folder imports only folders below it, types too", () => {
  const folderOf = (file: string) => /^packages\/core\/src\/([^/]+)\//.exec(file)?.[1] ?? "";
  const floorOf = (file: string) => floors.indexOf(folderOf(file));
  const upward = [...graphOf("core")]
    .filter(([file]) => floorOf(file) >= 0)
    .flatMap(([file, targets]) => targets.map((target) => ({ file, target })))
    .filter(({ file, target }) => floorOf(target) > floorOf(file) || folderOf(target) === "");
  expect(upward).toEqual([]);
});

describe("inside the sandbox", () => {
  const files = [...graphOf("sandbox")];

  test("no folder imports itself by way of other folders", () => {
    const folders = new Map<string, Set<string>>();
    for (const [file, targets] of files) {
      const imported = folders.get(dirname(file)) ?? new Set<string>();
      for (const target of targets) if (dirname(target) !== dirname(file)) imported.add(dirname(target));
      folders.set(dirname(file), imported);
    }
    const graph = new Map([...folders].map(([folder, imported]) => [folder, [...imported]] as const));
    expect(graph.size).toBeGreaterThan(10);
    expect([...graph.keys()].map((folder) => circleThrough(folder, graph)).filter(Boolean)).toEqual([]);
  });
});
