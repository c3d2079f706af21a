import type { AnyNode } from "acorn";
import type { AppDeclaration, Framework } from "./app-declaration.ts";
import { styleOf } from "./code-style.ts";
import { loadsVariables } from "./env-file.ts";
import type { MountPaths } from "./free-path.ts";
import { importLines } from "./imported-name.ts";
import type { MountPlaces } from "./middleware-chain.ts";
import { nodesIn, requiredModule, type SourceFile } from "./source-file.ts";
import { applyEdits, insertion } from "./text-edit.ts";

/** The lines that mount the kit. */
export interface MountLines {
  /** The names that the lines use. */
  readonly names: readonly string[];
  readonly imports: readonly string[];
  readonly webhooks: string;
  readonly login: string;
}

/** How the lines are written. */
export interface MountOptions {
  readonly framework: Framework;
  /** The name of the app's variable. */
  readonly app: string;
  /** Whether the file has `import`, and not `require`. */
  readonly isModule: boolean;
  /** The specifier with which the file imports the kit. */
  readonly kit: string;
  /** Whether the kit's file exports the sessions of the app. */
  readonly hasSessions: boolean;
  readonly paths: MountPaths;
  /** Whether the login has a page. */
  readonly hasPage: boolean;
}

/** Writes the lines that mount the kit. */
export function mountLines({ framework, app, isModule, kit, hasSessions, paths, hasPage }: MountOptions): MountLines {
  const style = { isModule, hasTypes: false };
  if (framework === "hono") {
    const names = ["doorcodeRoutes"];
    const imports = importLines([{ from: kit, name: "doorcodeRoutes" }], style);
    return { names, imports, webhooks: `${app}.route("/", doorcodeRoutes);`, login: "" };
  }
  const adapter = framework === "fastify" ? "@doorcode/fastify" : "@doorcode/express";
  const ofKit = ["doorcode", ...(hasSessions ? ["sessions"] : [])];
  const ofAdapter = ["phoneLogin", "webhooks"];
  const page = hasPage ? [pageImport] : [];
  const imports = importLines(
    [...page, ...ofAdapter.map((name) => ({ from: adapter, name })), ...ofKit.map((name) => ({ from: kit, name }))],
    style,
  );
  const options = [...(hasSessions ? ["session: sessions"] : []), ...pageOptions(paths.login, hasPage)];
  const login = `phoneLogin(doorcode${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
  const names = [...ofKit, ...ofAdapter, ...page.map(({ name }) => name)];
  if (framework === "fastify") {
    const register = (plugin: string, prefix: string) => `${app}.register(${plugin}, { prefix: "${prefix}" });`;
    return {
      names,
      imports,
      webhooks: register("webhooks(doorcode)", paths.webhooks),
      login: register(login, paths.login),
    };
  }
  return {
    names,
    imports,
    webhooks: `${app}.use("${paths.webhooks}", webhooks(doorcode)); // above express.json(): the signature covers the exact bytes`,
    login: `${app}.use("${paths.login}", ${login});`,
  };
}

/** What the file with the login imports for its page. */
export const pageImport = { from: "@doorcode/browser/server", name: "loginPage" } as const;

/** Writes the options that say which page the forms of a login come back to: its own one, or the app's at another path than the default. */
export function pageOptions(path: string, hasPage: boolean): readonly string[] {
  if (hasPage) return ["page: loginPage()"];
  return path === "/login" ? [] : [`forms: { page: "${path}" }`];
}

/** Tells whether the lines can be inserted into the file of the app without a conflict of names. */
export function canMount({ file }: AppDeclaration, { names }: MountLines): boolean {
  return ![...nodesIn(file.program)].some((node) => node.type === "Identifier" && names.includes(node.name));
}

/**
 * Inserts the lines into the file of the app. Returns `undefined` if code would follow them in their last line: the comment of a line would
 * hide that code, and a file without semicolons would join it.
 */
export function insertMounts(
  { file, start, rest }: AppDeclaration,
  lines: MountLines,
  places: MountPlaces,
): string | undefined {
  const { text } = file;
  const write = styleOf(file);
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = rest[0] ? indentAt(text, rest[0].start) : indentAt(text, start);
  const importsAt = importPlace(file, start);
  const importText = lines.imports.map((line) => write(line)).join(lineBreak);
  const before = text.slice(0, importsAt);
  const isAtLineStart = before === "" || before.endsWith("\n");
  const [webhooksAt, loginAt] = [endOfLine(text, places.webhooks), endOfLine(text, places.login)];
  const ends = [webhooksAt, loginAt, ...(isAtLineStart ? [] : [importsAt])];
  if (!ends.every((offset) => /^\r?\n|^$/.test(text.slice(offset)))) return undefined;
  const mount = (offset: number, line: string) => insertion(offset, line && `${lineBreak}${indent}${write(line)}`);
  return applyEdits(text, [
    insertion(importsAt, isAtLineStart ? `${importText}${lineBreak}` : `${lineBreak}${importText}`),
    mount(webhooksAt, lines.webhooks),
    mount(loginAt, lines.login),
  ]);
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^\s*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/**
 * Finds the place of the imports: after the last import. Without any, it is after the last `require` at the top above the app, and after
 * `dotenv.config()`, because the kit reads its variables when it is loaded; else above the statement of the app.
 */
function importPlace(file: SourceFile, appStart: number): number {
  const { text, program, isModule } = file;
  const requires = (node: AnyNode) => [...nodesIn(node)].some((each) => requiredModule(each) !== undefined);
  const above = program.body.filter((node) =>
    isModule
      ? node.type === "ImportDeclaration"
      : node.end <= appStart && (requires(node) || loadsVariables(file, node)),
  );
  const last = above.at(-1);
  if (last) return endOfLine(text, last.end);
  const top = program.body.find(({ end }) => end >= appStart);
  return top?.start ?? 0;
}

/** A comment at the end of a line stays there. */
function endOfLine(text: string, offset: number): number {
  const rest = /^[ \t]*(?:\/\/[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(offset));
  return offset + (rest?.[0].length ?? 0);
}
