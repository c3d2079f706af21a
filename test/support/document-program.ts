import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const workshop = join(root, ".doorcode");
const modulesOfTests: Record<string, object> = {};
Object.assign(globalThis, { modulesOfTests });

/** A program of a document. */
export interface DocumentProgram {
  /** The path of the document, from the root of the repository. */
  readonly document: string;
  /** The heading above the program; the first program of the document without one. */
  readonly heading?: string;
  /** The reader's own modules that the program imports, such as `doorcode`, and what each exports. */
  readonly modules: Readonly<Record<string, object>>;
  /** The package that takes the place of another one, such as an older version of it. */
  readonly packages?: Readonly<Record<string, string>>;
}

/** Runs a program of a document as it stands there, and returns what it exports. Its files go when the test ends. */
export async function runProgram<Exports>({
  document,
  heading,
  modules,
  packages = {},
}: DocumentProgram): Promise<Exports> {
  mkdirSync(workshop, { recursive: true });
  const folder = mkdtempSync(join(workshop, "program-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, exported] of Object.entries(modules)) writeModule(folder, name, exported);
  const file = join(folder, "program.ts");
  const program = readProgram(document, heading);
  writeFileSync(
    file,
    program.replaceAll(/ from "(.+)";/g, (line, name) => (packages[name] ? ` from "${packages[name]}";` : line)),
  );
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

function writeModule(folder: string, name: string, exported: object): void {
  const key = `${folder}/${name}`;
  modulesOfTests[key] = exported;
  const names = Object.keys(exported).join(", ");
  writeFileSync(join(folder, `${name}.ts`), `export const { ${names} } = globalThis.modulesOfTests["${key}"];\n`);
}

function readProgram(document: string, heading: string | undefined): string {
  const text = readFileSync(join(root, document), "utf8");
  const section = heading === undefined ? text : text.slice(text.search(new RegExp(`^#+ ${heading}$`, "m")));
  const program = section.match(/^```ts\n([\s\S]*?)^```$/m)?.[1];
  if (program === undefined) throw new Error(`${document} has no program below "${heading ?? "its title"}".`);
  return program;
}
