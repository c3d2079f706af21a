import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const documents = globSync(["*.md", "docs/*.md", "packages/*/README.md", "examples/*/README.md"], { cwd: root });

/** A program of a document, or the example of a doc comment. */
interface Fence {
  readonly place: string;
  readonly program: string;
}

function fencesOf(document: string): Fence[] {
  const text = readFileSync(join(root, document), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((found) => ({
    place: `${document}:${lineOf(text, found.index)}`,
    program: found[1] ?? "",
  }));
}

/** The `@example` of every doc comment: what an editor shows must compile too. */
function examplesOf(file: string): Fence[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?! @|\/).*\n)+)/gm)].map((found) => ({
    place: `${file}:${lineOf(text, found.index)}`,
    program: (found[1] ?? "").replace(/^ *\* ?/gm, ""),
  }));
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

const sources = globSync("packages/*/src/**/*.ts", { cwd: root });
const fences = [...documents.flatMap(fencesOf), ...sources.flatMap(examplesOf)];

/** Programs stand below the root, so that they find the packages as a reader's program would: built. */
const workshop = join(root, ".doorcode");
mkdirSync(workshop, { recursive: true });
const folder = mkdtempSync(join(workshop, "fences-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every program in a document and every example in a doc comment compiles", { timeout: 120_000 }, () => {
  // Each is a program of its own: what one tells about its users must not reach the next.
  const failures = fences.flatMap(({ place, program }, index) => {
    const file = join(folder, `fence-${index}.ts`);
    writeFileSync(file, `${program}\nexport {};\n`);
    return { place, file };
  });
  const compilerOptions = {
    extends: "../../tsconfig.base.json",
    compilerOptions: {
      noEmit: true,
      composite: false,
      declaration: false,
      declarationMap: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      allowImportingTsExtensions: true,
    },
  };
  const output = failures.flatMap(({ place, file }) => {
    const project = `${file}.json`;
    writeFileSync(project, JSON.stringify({ ...compilerOptions, files: [file] }));
    const { status, stdout } = spawnSync("tsc", ["-p", project], { encoding: "utf8", cwd: folder });
    return status === 0 ? [] : [`${place}\n${stdout}`];
  });
  expect(fences.length).toBeGreaterThan(10);
  expect(output.join("\n")).toBe("");
});

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  test("names only files and folders that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((found) => found[1] ?? "");
    const paths = [...text.matchAll(/`((?:packages|examples|test|docs|scripts)\/[\w./-]+)`/g)].map(
      (found) => found[1] ?? "",
    );
    const missing = [
      ...links.filter((link) => !existsSync(resolve(root, dirname(document), link))),
      ...paths.filter((path) => !existsSync(resolve(root, path))),
    ];
    expect(missing).toEqual([]);
  });
});

test("the README's first program stands within its first 15 lines", () => {
  const lines = readFileSync(join(root, "README.md"), "utf8").split("\n");
  expect(lines.findIndex((line) => line.startsWith("```ts"))).toBeGreaterThanOrEqual(0);
  expect(lines.findIndex((line) => line.startsWith("```ts"))).toBeLessThan(15);
});

test("no registry host, no path of a machine and no loose end stands in a file", () => {
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  const files = stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  const forbidden = /registry\.npm(?:js|mirror)|(?:^|[^\w.])\/(?:root|home|Users)\/\w/;
  const guilty = files.filter((file) => forbidden.test(readFileSync(join(root, file), "utf8")));
  expect(files.length).toBeGreaterThan(50);
  expect(guilty.filter((file) => !file.endsWith("documents.test.ts"))).toEqual([]);
});
