import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** The rows of the table below a heading row: the texts of their columns. */
function rowsBelow(document: string, heading: string): readonly string[][] {
  const text = readFileSync(join(root, document), "utf8");
  const table = text.slice(text.indexOf(heading)).match(/^(?:\|.*\n)+/)?.[0] ?? "";
  return table
    .trim()
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((column) => column.trim()));
}

function namesIn(column: string | undefined): readonly string[] {
  return [...(column ?? "").matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => name);
}

function union(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(" | ") || "never";
}

/** Compiles assertions about types of the built packages, and returns what is wrong. */
function compile(program: string): readonly string[] {
  const workshop = join(root, ".doorcode");
  mkdirSync(workshop, { recursive: true });
  const folder = mkdtempSync(join(workshop, "tables-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "table.ts"), program);
  const compilerOptions = { noEmit: true, composite: false, declaration: false, declarationMap: false };
  const project = {
    extends: "../../tsconfig.base.json",
    compilerOptions: { ...compilerOptions, isolatedDeclarations: false },
    files: ["table.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const { stdout } = spawnSync("tsc", ["-p", folder], { encoding: "utf8", cwd: folder });
  return stdout.split("\n").filter((line) => line.includes("error TS"));
}

/** Compiles only if no name is missing in the table, and none is too many. The error of the compiler has the name. */
const sameNames = `
type SameNames<Listed, Real> = [Exclude<Real, Listed> | Exclude<Listed, Real>] extends [never]
  ? true
  : { readonly missing: Exclude<Real, Listed>; readonly tooMany: Exclude<Listed, Real> };
`;

test("the table of events names every event and its members, and nothing else", () => {
  const rows = rowsBelow("packages/core/docs/events.md", "| type | when | members |");
  const types = rows.flatMap(([, type]) => namesIn(type));
  const ofRows = rows.map(([, type, , members], index) => {
    const listed = union(namesIn(members));
    return `export const row${index}: SameNames<${listed}, MembersOf<${union(namesIn(type))}>> = true;
export const login${index}: IsAboutLogin<${union(namesIn(type))}> = ${type?.endsWith("*")};`;
  });
  expect(types.length).toBeGreaterThan(20);
  expect(
    compile(`import type { DoorcodeEvent } from "@doorcode/core";
${sameNames}
type LoginMember = "loginId" | "purpose" | "country" | "phone" | "phoneFingerprint";
type Type = DoorcodeEvent["type"];
type EventOf<Name extends Type> = Extract<DoorcodeEvent, { readonly type: Name }>;
type IsAboutLogin<Name extends Type> = "loginId" extends keyof EventOf<Name> ? true : false;
type MembersOf<Name extends Type> = Exclude<keyof EventOf<Name>, "type" | (IsAboutLogin<Name> extends true ? LoginMember : never)>;
export const all: SameNames<${union(types)}, Type> = true;
${ofRows.join("\n")}
`),
  ).toEqual([]);
});

test("the tables of options name every option of createDoorcode and every limit, and nothing else", () => {
  const options = rowsBelow("packages/core/README.md", "| option | default | |").flatMap(([, name]) => namesIn(name));
  const limits = rowsBelow("packages/core/docs/limits.md", "| limit | default |").flatMap(([, name]) => namesIn(name));
  expect(options.length).toBeGreaterThan(30);
  expect(
    compile(`import type { DoorcodeOptions } from "@doorcode/core";
${sameNames}
type Options = Required<DoorcodeOptions<undefined>>;
type Group = "service" | "login" | "session" | "webhooks";
type OptionsOf<Name extends Group> = \`\${Name}.\${keyof Options[Name] & string}\`;
type All = Exclude<keyof Options, Group> | OptionsOf<"service"> | OptionsOf<"login"> | OptionsOf<"session"> | OptionsOf<"webhooks">;
// The clock of the kit is the service's, too.
export const all: SameNames<${union(options)}, Exclude<All, "service.clock">> = true;
type Limits = keyof NonNullable<Options["login"]["limits"]>;
// Its first column names the codes of refusals, too.
export const limits: SameNames<Extract<${union(limits)}, Limits>, Limits> = true;
`),
  ).toEqual([]);
});
