import type { AppDeclaration, Framework } from "./app-declaration.ts";
import { styleOf } from "./code-style.ts";
import { nodesIn, requiredModule, type SourceFile } from "./source-file.ts";

/** The lines that mount the kit. */
export interface MountLines {
  /** The two imports. */
  readonly imports: readonly string[];
  /** The two mounts. */
  readonly mounts: readonly string[];
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
  /** The path of the webhook endpoint. */
  readonly webhookPath: string;
}

/** Writes the lines that mount the kit. */
export function mountLines({ framework, app, isModule, kit, webhookPath }: MountOptions): MountLines {
  const adapter = `@doorcode/${framework}`;
  return {
    imports: isModule
      ? [`import { phoneLogin, webhooks } from "${adapter}";`, `import { doorcode } from "${kit}";`]
      : [`const { phoneLogin, webhooks } = require("${adapter}");`, `const { doorcode } = require("${kit}");`],
    mounts:
      framework === "express"
        ? [
            `${app}.use("${webhookPath}", webhooks(doorcode)); // above express.json(): the signature covers the exact bytes`,
            `${app}.use("/login", phoneLogin(doorcode));`,
          ]
        : [
            `${app}.register(webhooks(doorcode), { prefix: "${webhookPath}" });`,
            `${app}.register(phoneLogin(doorcode), { prefix: "/login" });`,
          ],
  };
}

/** The names that the inserted lines use. A file that has one of them already is not changed. */
const usedNames = ["doorcode", "phoneLogin", "webhooks"];

/** Tells whether the lines can be inserted into the file of the app without a conflict of names. */
export function canMount({ file }: AppDeclaration): boolean {
  return ![...nodesIn(file.program)].some((node) => node.type === "Identifier" && usedNames.includes(node.name));
}

/** Inserts the lines into the file of the app: the mounts come right after the app is created, so above every body parser. */
export function insertMounts({ file, statement }: AppDeclaration, { imports, mounts }: MountLines): string {
  const { text } = file;
  const write = styleOf(file);
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  const lineStart = text.lastIndexOf("\n", statement.start - 1) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart, statement.start))?.[0] ?? "";
  const mountsAt = endOfLine(text, statement.end);
  const importsAt = importPlace(file, statement.start);
  const importText = imports.map((line) => write(line)).join(lineBreak);
  const mountText = mounts.map((line) => `${lineBreak}${indent}${write(line)}`).join("");
  const beforeImports = text.slice(0, importsAt);
  const isAtLineStart = beforeImports === "" || beforeImports.endsWith("\n");
  const inserted = isAtLineStart ? `${importText}${lineBreak}` : `${lineBreak}${importText}`;
  return `${beforeImports}${inserted}${text.slice(importsAt, mountsAt)}${mountText}${text.slice(mountsAt)}`;
}

/**
 * Finds the place of the imports: after the last import. Without any, it is after the last `require` at the top above the app, so that
 * `require("dotenv").config()` has run, else above the statement of the app.
 */
function importPlace({ text, program, isModule }: SourceFile, appStart: number): number {
  const above = program.body.filter((node) =>
    isModule
      ? node.type === "ImportDeclaration"
      : node.end <= appStart && [...nodesIn(node)].some((each) => requiredModule(each) !== undefined),
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
