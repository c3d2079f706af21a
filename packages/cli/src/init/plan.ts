import { existsSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";
import { CommandError } from "../command/command-error.ts";
import type { InitCommand } from "../command/command-line.ts";
import { type AppDeclaration, type Framework, findAppDeclarations } from "./app-declaration.ts";
import { styleOf } from "./code-style.ts";
import { findSources } from "./find-sources.ts";
import { type JestPlan, planJest } from "./jest/plan-jest.ts";
import { kitFile } from "./kit-file.ts";
import { kitSpecifier } from "./kit-specifier.ts";
import { listeningPort } from "./listening-port.ts";
import { detectPackageManager, type Manifest, type PackageManager, readManifest } from "./manifest.ts";
import { canMount, insertMounts, mountLines } from "./mount-kit.ts";
import { isOwnFile, readText } from "./own-file.ts";
import { withoutSecrets, withScript, withVariables } from "./settings-files.ts";
import { importsOf, nodesIn, type SourceFile } from "./source-file.ts";

/** A file to create or to change. */
export interface FileChange {
  /** The path, from the folder of the app. */
  readonly path: string;
  /** The present text; undefined for a new file. */
  readonly before: string | undefined;
  /** The new text. */
  readonly after: string;
}

/** All that `init` would do. */
export interface Plan {
  /** The files to create or to change. */
  readonly changes: readonly FileChange[];
  /** The commands that install the packages. */
  readonly installs: readonly (readonly [PackageManager, ...string[]])[];
  /** Sentences for the developer: what is left to do. */
  readonly notes: readonly string[];
  /** Why the tests of the app would fail after the changes; undefined if they pass. */
  readonly refusal: string | undefined;
}

/** Plans the changes to an app. Nothing is written. @throws CommandError if the folder has no app */
export function planInit({ folder, countries }: Pick<InitCommand, "folder" | "countries">): Plan {
  const manifest = readManifest(folder);
  const sources = findSources(folder, manifest);
  const declarations = sources.flatMap(findAppDeclarations);
  const [found] = declarations;
  // With several apps, only the developer knows which one is meant.
  const app = declarations.length === 1 ? found : undefined;
  const framework = found?.framework ?? manifest.frameworks[0] ?? "express";
  const webhookPath = freeWebhookPath(sources);
  const manager = detectPackageManager(folder);
  const isMounted = sources.some((file) => importsOf(file).includes(`@doorcode/${framework}`));
  const { changes, notes } = isMounted
    ? { changes: [], notes: [] }
    : planSources({ folder, countries, manifest, sources, app, framework, webhookPath });
  const command = devCommand(folder, manifest, manager, app, listeningPort(sources), webhookPath);
  const jest = planJest(folder, manifest);
  return {
    changes: [...changes, ...planSettings(folder, manifest, command, jest.edits)],
    installs: planInstalls(manifest, framework, manager, jest),
    notes: [...notes, ...(isMounted ? [] : dotenvNotes(sources)), ...jest.notes],
    refusal: jest.tooOld,
  };
}

interface SourcesToPlan extends Pick<InitCommand, "folder" | "countries"> {
  readonly manifest: Manifest;
  readonly sources: readonly SourceFile[];
  readonly app: AppDeclaration | undefined;
  readonly framework: Framework;
  readonly webhookPath: string;
}

function planSources(given: SourcesToPlan): Pick<Plan, "changes" | "notes"> {
  const { folder, countries, manifest, sources, app, framework, webhookPath } = given;
  const file = app?.file ?? sources[0];
  const extension = file ? extname(file.path) : existsSync(join(folder, "tsconfig.json")) ? ".ts" : ".js";
  const isModule = file?.isModule ?? (manifest.isModule || extension === ".ts");
  const kitPath = join(file ? dirname(file.path) : folder, `doorcode${extension}`);
  const text = kitFile({ hasTypes: /ts$/.test(extension), isModule, countries });
  const kit = file ? kitSpecifier(folder, file, manifest) : `./doorcode${extension}`;
  const lines = mountLines({ framework, app: app?.name ?? "app", isModule, kit, webhookPath });
  const kitChange = change(
    folder,
    relative(folder, kitPath),
    (before) => before || (file ? styleOf(file)(text) : text),
  );
  if (app && canMount(app)) {
    const mounted = change(folder, relative(folder, app.file.path), () => insertMounts(app, lines));
    return { changes: [...kitChange, ...mounted], notes: [] };
  }
  const place = app ? relative(folder, app.file.path) : "the file that creates your app";
  const note = `Add to ${place}, above every body parser:\n\n${[...lines.imports, ...lines.mounts].map((line) => `  ${line}`).join("\n")}`;
  return { changes: kitChange, notes: [note] };
}

function planSettings(
  folder: string,
  manifest: Manifest,
  command: string | undefined,
  { "package.json": editManifest = (text: string) => text, ...edits }: JestPlan["edits"],
): readonly FileChange[] {
  const hasSandbox = Object.values(manifest.scripts).some((script) => script?.includes("doorcode-sandbox"));
  const name = manifest.scripts.dev === undefined ? "dev" : "dev:sandbox";
  return [
    ...change(folder, ".env", withVariables),
    ...change(folder, ".gitignore", withoutSecrets),
    ...change(folder, "package.json", (text) =>
      editManifest(hasSandbox || command === undefined ? text : withScript(text, name, command)),
    ),
    ...Object.entries(edits).flatMap(([path, edit]) => change(folder, path, edit)),
  ];
}

/** Returns the command that runs the app with the sandbox, or undefined if nothing is known to run. */
function devCommand(
  folder: string,
  { scripts }: Manifest,
  manager: PackageManager,
  app: AppDeclaration | undefined,
  port: number,
  webhookPath: string,
): string | undefined {
  const script = ["dev", "start"].find((name) => scripts[name] !== undefined);
  const entry = app && `node ${shellWord(relative(folder, app.file.path).split(sep).join("/"))}`;
  const program = script === undefined ? entry : `${manager} run ${script}`;
  return (
    program && `doorcode-sandbox exec --port 4010 --webhook-url http://localhost:${port}${webhookPath} -- ${program}`
  );
}

/** Writes the path of a file as one word of a shell. Double quotes mean the same to the shell of Windows. */
function shellWord(path: string): string {
  // A name that begins with a dash would be an option.
  const file = path.startsWith("-") ? `./${path}` : path;
  const special = /[\\\x22$\x60]/g;
  return /^[\w./-]+$/.test(file) ? file : `"${file.replaceAll(special, "\\$&")}"`;
}

function planInstalls(
  { dependencies }: Manifest,
  framework: Framework,
  manager: PackageManager,
  jest: JestPlan,
): Plan["installs"] {
  const lacks = (name: string) => dependencies[name.replace(/(?!^)@.*/, "")] === undefined;
  const packages = ["@doorcode/core", `@doorcode/${framework}`].filter(lacks);
  const forDevelopment = ["@doorcode/sandbox", ...jest.packages].filter(lacks);
  const verb = manager === "npm" ? "install" : "add";
  return [
    ...(packages.length > 0 ? [[manager, verb, ...packages] as const] : []),
    ...(forDevelopment.length > 0 ? [[manager, verb, "-D", ...forDevelopment] as const] : []),
  ];
}

/** An app that has a route at `/webhooks` keeps it. */
function freeWebhookPath(sources: readonly SourceFile[]): string {
  const isTaken = sources.some(({ program }) =>
    [...nodesIn(program)].some((node) => node.type === "Literal" && node.value === "/webhooks"),
  );
  return isTaken ? "/doorcode-webhooks" : "/webhooks";
}

/** Imports run before every statement of a file. */
function dotenvNotes(sources: readonly SourceFile[]): readonly string[] {
  const late = sources.find((file) => file.isModule && importsOf(file).includes("dotenv"));
  if (!late) return [];
  return [
    `Your app calls dotenv after its imports, and the kit reads its variables before: import "dotenv/config" first.`,
  ];
}

function change(folder: string, path: string, edit: (before: string) => string): readonly FileChange[] {
  const file = join(folder, path);
  if (!isOwnFile(folder, file)) {
    throw new CommandError(
      `${path} is a link, no file, or leads out of the folder, and init changes no other files: put a file there first`,
    );
  }
  const before = readText(file);
  if (before === undefined && existsSync(file)) {
    throw new CommandError(`${path} is not UTF-8, or larger than 1 MB, and init would change more than it adds`);
  }
  const after = edit(before ?? "");
  return after === before ? [] : [{ path, before, after }];
}
