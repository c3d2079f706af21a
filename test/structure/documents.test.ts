import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root, targetOf } from "./repository.ts";

const documents = globSync(
  [
    "*.md",
    "docs/*.md",
    "packages/*/README.md",
    "packages/*/docs/*.md",
    "packages/*/skills/*/SKILL.md",
    "examples/*/README.md",
  ],
  { cwd: root },
);

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

const sources = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root });
const fences = [...documents.flatMap(fencesOf), ...sources.flatMap(examplesOf)];

/** Programs stand below the root, so that they find the packages as a reader's program would: built. */
const workshop = join(root, ".doorcode");
mkdirSync(workshop, { recursive: true });
const folder = mkdtempSync(join(workshop, "fences-"));
afterAll(() => rmSync(folder, { recursive: true }));

// The reader's own modules, which every program may import.
writeFileSync(
  join(folder, "users.ts"),
  `interface User { readonly id: string; readonly name: string; readonly phone: string; readonly language: string }
export declare const users: {
  find(phone: string): Promise<User | undefined>;
  findOrCreate(phone: string): Promise<User>;
  get(id: string): Promise<User | undefined>;
  has(phone: string): Promise<boolean>;
};
export declare function onLogin(proof: { readonly phone: string }): Promise<string | undefined>;
`,
);
writeFileSync(
  join(folder, "turnstile.ts"),
  "export declare function isSolved(token: string, signal: AbortSignal): Promise<boolean>;\n",
);
writeFileSync(
  join(folder, "provider.ts"),
  `export declare const provider: {
  sendCode(phone: string, ...more: unknown[]): Promise<string>;
  isRight(id: string, code: string, signal: AbortSignal): Promise<boolean>;
};
`,
);
writeFileSync(
  join(folder, "prisma.ts"),
  `interface User { readonly id: string }
export declare const prisma: {
  readonly user: {
    findUnique(query: { where: { phone: string } }): Promise<User | null>;
    findUniqueOrThrow(query: { where: { phone: string } }): Promise<User>;
    create(query: { data: { phone: string } }): Promise<User>;
  };
};
`,
);
writeFileSync(
  join(folder, "staff.ts"),
  `import type { Request, RequestHandler } from "express";
export declare const requireStaff: RequestHandler;
export declare function staffOf(req: Request): { readonly email: string } | undefined;
`,
);
writeFileSync(
  join(folder, "doorcode.ts"),
  'import type { Doorcode } from "@doorcode/core";\nexport declare const doorcode: Doorcode;\n',
);

const compilerOptions = {
  noEmit: true,
  composite: false,
  declaration: false,
  declarationMap: false,
  isolatedDeclarations: false,
  noUnusedLocals: false,
  // The declarations of hono name types of the browser.
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
};

/** Compiles programs together and answers what is wrong, by the place where each stands. */
function compile(programs: readonly Fence[], project: string): string[] {
  const files = programs.map(({ program }, index) => {
    const file = `${project}-${index}.ts`;
    writeFileSync(join(folder, file), `${program}\nexport {};\n`);
    return file;
  });
  const tsconfig = join(folder, `${project}.json`);
  writeFileSync(tsconfig, JSON.stringify({ extends: "../../tsconfig.base.json", compilerOptions, files }));
  const { stdout } = spawnSync("tsc", ["-p", tsconfig, "--checkers", "1"], { encoding: "utf8", cwd: folder });
  return stdout
    .split("\n")
    .filter((line) => line.includes("error TS"))
    .map((line) => `${programs[Number(line.match(/-(\d+)\.ts/)?.[1])]?.place}: ${line}`);
}

test("every program in a document and every example in a doc comment compiles", { timeout: 300_000 }, () => {
  // What one program declares about a module must not reach another that uses it, and a module that a program imports only for its
  // effect must bring its types by itself. So programs about the same module are compiled apart, and away from all others.
  const times = new Map<string, number>();
  const projects = Map.groupBy(fences, ({ program }) => {
    const [, declared, imported] = /declare module "(.+)"|^import "(.+)"/m.exec(program) ?? [];
    const module = declared ?? imported;
    if (module === undefined) return "together";
    times.set(module, (times.get(module) ?? 0) + 1);
    return `apart${times.get(module)}`;
  });
  const errors = [...projects].flatMap(([project, programs]) => compile(programs, project));
  expect(fences.length).toBeGreaterThan(10);
  expect(errors).toEqual([]);
});

test("no program reads a secret of the environment without the service, beside which the secrets of the sandbox work", () => {
  const readsSecret = /createDoorcode\(\{[\s\S]*process\.env\.(?:WEBHOOK_SECRET|SESSION_PASSWORD)/;
  const secretive = fences.filter(({ program }) => readsSecret.test(program));
  expect(secretive.length).toBeGreaterThan(10);
  expect(secretive.filter(({ program }) => !program.includes("process.env.SERVICE_URL"))).toEqual([]);
});

describe.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");

  test("names only files and folders that exist", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)/g)].map((found) => found[1] ?? "");
    const paths = [...text.matchAll(/`((?:packages|examples|test|docs|scripts)\/[\w./-]+)`/g)].map(
      (found) => found[1] ?? "",
    );
    const missing = [
      ...links.filter((link) => !existsSync(targetOf(document, link) ?? root)),
      ...paths.filter((path) => !existsSync(resolve(root, path))),
    ];
    expect(missing).toEqual([]);
  });

  test("links only to headings that exist", () => {
    const links = [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)/g)];
    const missing = links.filter(([, path = "", anchor = ""]) => {
      const file = targetOf(document, path);
      return file !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

/** The anchors of a document's headings, as the pages of repositories and registries make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test("compose.yaml sets Redis up as its README asks for, and opens ports to this machine only", () => {
  const compose = readFileSync(join(root, "compose.yaml"), "utf8");
  const readme = readFileSync(join(root, "packages/redis/README.md"), "utf8");
  const settings = [...readme.matchAll(/^- `([\w-]+) (\w+)`[,:]/gm)].map((found) => `"--${found[1]}", "${found[2]}"`);
  expect(settings).toHaveLength(2);
  for (const setting of settings) expect(compose).toContain(setting);
  const ports = [...compose.matchAll(/ports: \["(.*?):/g)].map((found) => found[1]);
  expect(ports).toEqual(["127.0.0.1", "127.0.0.1"]);
});

test("no file contains a registry host or a path of a machine", () => {
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  const files = stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
  const forbidden = /registry\.npm(?:js|mirror)|(?:^|[^\w.])\/(?:root|home|Users)\/\w/;
  const guilty = files.filter((file) => forbidden.test(readFileSync(join(root, file), "utf8")));
  expect(files.length).toBeGreaterThan(50);
  expect(guilty.filter((file) => !file.endsWith("documents.test.ts"))).toEqual([]);
});
