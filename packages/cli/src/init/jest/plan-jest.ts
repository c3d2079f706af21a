import { existsSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, extname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { AppContext } from "../app-context.ts";
import { change, type FileChange } from "../file-change.ts";
import { type Manifest, type PackageManager, parseManifest } from "../manifest.ts";
import { isOwnFile, readText } from "../own-file.ts";
import { readSource } from "../source-file.ts";
import { applyEdits, insertion } from "../text-edit.ts";
import { type JestConfig, jestConfigInJson, jestConfigInModule, stringIn, withJestFiles } from "./jest-config.ts";
import {
  compiledPattern,
  defaultTransform,
  ignoredPatterns,
  transformerPath,
  transformerText,
  variablesPath,
  variablesText,
} from "./transformer.ts";

/** What an app with Jest needs, so that its tests load the kit. */
interface JestPlan {
  /** The edits of its files, by path. */
  readonly edits: Readonly<Record<string, (before: string) => string>>;
  /** The packages to install for development. */
  readonly packages: readonly string[];
  /** The lines to add where a configuration is not plain. */
  readonly notes: readonly string[];
  /** Says that this Jest is too old, and the upgrade. */
  readonly tooOld: string | undefined;
}

/** The parts of a plan that tests may need. */
interface PlanParts {
  readonly changes: readonly FileChange[];
  readonly installs: readonly (readonly [PackageManager, ...string[]])[];
  readonly notes: readonly string[];
}

const nothing: JestPlan = { edits: {}, packages: [], notes: [], tooOld: undefined };

/** Older versions do not know `exports` of a package.json. */
const oldestJest = 28;

/** Adds to a plan what Jest needs. Nothing for other test runners, and for tests that are ES modules. */
export function withJest<P extends PlanParts>(
  plan: P,
  { folder, manifest }: AppContext,
  manager: PackageManager,
): P & { readonly refusal: string | undefined } {
  const jest = planJest(folder, manifest);
  const changes = new Map(plan.changes.map((each) => [each.path, each]));
  for (const [path, edit] of Object.entries(jest.edits)) {
    const present = changes.get(path);
    const [next] = present ? [{ ...present, after: edit(present.after) }] : change(folder, path, edit);
    if (next) changes.set(path, next);
  }
  const lacking = jest.packages.filter((each) => manifest.dependencies[each.replace(/(?!^)@.*/, "")] === undefined);
  const verb = manager === "npm" ? "install" : "add";
  return {
    ...plan,
    changes: [...changes.values()],
    installs: [...plan.installs, ...(lacking.length > 0 ? [[manager, verb, "-D", ...lacking] as const] : [])],
    notes: [...plan.notes, ...jest.notes],
    refusal: jest.tooOld,
  };
}

function planJest(folder: string, manifest: Manifest): JestPlan {
  const { dependencies } = manifest;
  if (!needsRecipe(manifest)) return nothing;
  const major = majorOf(folder, dependencies.jest);
  if (major !== undefined && major < oldestJest) {
    const tooOld = upgradeText(dependencies, major);
    return { ...nothing, notes: [tooOld], tooOld };
  }
  // Jest 30 is the first one that works with Babel 8.
  const declared = Number(/\d+/.exec(dependencies["@babel/core"] ?? "")?.[0] ?? 7);
  const babel = (major ?? 30) < 30 ? 7 : declared;
  const packages = [
    major === undefined ? "babel-jest" : `babel-jest@${major}`,
    `@babel/plugin-transform-modules-commonjs@${babel}`,
    `@babel/plugin-transform-dynamic-import@${babel}`,
  ];
  const edits: Record<string, (before: string) => string> = {
    [transformerPath]: (before) => before || transformerText,
    [variablesPath]: (before) => before || variablesText,
  };
  const notes: string[] = [];
  for (const path of configPaths(folder, manifest)) {
    const text = readText(join(folder, path)) ?? "";
    if (text.includes(transformerPath)) continue;
    if (configTextWith(folder, path, text) === undefined) notes.push(noteFor(path));
    else edits[path] = (before) => configTextWith(folder, path, before) ?? before;
  }
  return { edits, packages, notes, tooOld: undefined };
}

/** Tells whether an app has tests under Jest, and not as ES modules. */
export function needsRecipe({ dependencies, scripts }: Manifest): boolean {
  const has = (pattern: RegExp) => Object.values(scripts).some((script) => pattern.test(script ?? ""));
  return (dependencies.jest !== undefined || has(/\bjest\b/)) && !has(/--experimental-vm-modules/);
}

/** The installed version decides, also that of a workspace around the app; a range may be `latest`. */
function majorOf(folder: string, range = ""): number | undefined {
  const major = /"version":\s*"(\d+)/.exec(installedManifest(folder, "jest"))?.[1] ?? /\d+/.exec(range)?.[0];
  return major === undefined ? undefined : Number(major);
}

function installedManifest(folder: string, name: string): string {
  try {
    const path = findPackageJSON(name, pathToFileURL(resolve(folder, "package.json")));
    return (path && readText(path)) ?? "";
  } catch {
    return "";
  }
}

const companions = ["jest", "babel-jest", "ts-jest", "jest-circus", "jest-environment-jsdom", "@types/jest"];

function upgradeText(dependencies: Manifest["dependencies"], major: number): string {
  const present = companions.filter((name) => name === "jest" || dependencies[name]).map((name) => `${name}@29`);
  return `The tests run on Jest ${major}, which cannot load packages with "exports", such as Doorcode. Upgrade Jest to 28 or newer first, such as: npm install -D ${present.join(" ")}`;
}

const configNames = ["js", "ts", "mjs", "cjs", "cts", "mts", "json"].map((ending) => `jest.config.${ending}`);

/** Lists the configurations: those that scripts name, and the one that Jest finds by itself. */
function configPaths(folder: string, { text, scripts }: Manifest): ReadonlySet<string> {
  const calls = Object.values(scripts).filter((script) => /\bjest\b/.test(script ?? ""));
  const named = calls.map((script) => /\bjest\b[^&|;]* (?:--config|-c)[ =]+["']?([\w@./-]+)/.exec(script ?? "")?.[1]);
  const usual = configNames.find((name) => readText(join(folder, name)) !== undefined);
  const { jest } = parseManifest("package.json", text);
  const found = typeof jest === "string" ? jest : jest === undefined ? (usual ?? "package.json") : "package.json";
  const isFound = calls.length === 0 || named.includes(undefined);
  const paths = [...(isFound ? [found] : []), ...named.filter((path) => path !== undefined)];
  return new Set(paths.map((path) => relative(folder, resolve(folder, path))));
}

/** Returns the text of a configuration with the transformer, or `undefined` if the configuration is not plain. */
function configTextWith(folder: string, path: string, text: string): string | undefined {
  const { jest } = path === "package.json" ? parseManifest(path, text) : { jest: true };
  if (jest === undefined) return withNewKey(text);
  const config = readConfig(folder, path, text);
  const rootDir = config && stringIn(config, "rootDir");
  if (!config || rootDir === null) return undefined;
  const root = resolve(folder, dirname(path), rootDir ?? ".");
  const named = (file: string) => `<rootDir>/${relative(root, join(folder, file)).replaceAll("\\", "/")}`;
  return withJestFiles(config, { transformer: named(transformerPath), variables: named(variablesPath) });
}

function readConfig(folder: string, path: string, text: string): JestConfig | undefined {
  if (path === "package.json") return jestConfigInJson(text, "jest");
  if (!existsSync(join(folder, path)) || !isOwnFile(folder, join(folder, path))) return undefined;
  if (extname(path) === ".json") return jestConfigInJson(text);
  const file = readSource(join(folder, path));
  return file && jestConfigInModule(file);
}

/** Adds the key `jest` to a package.json without one. */
function withNewKey(text: string): string | undefined {
  const last = jestConfigInJson(text)?.object.properties.at(-1);
  if (!last) return undefined;
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
  const transform = JSON.parse(
    `{ ${JSON.stringify(compiledPattern)}: "<rootDir>/${transformerPath}", ${defaultTransform} }`,
  );
  const key = JSON.stringify(
    { transform, transformIgnorePatterns: ignoredPatterns, setupFiles: [`<rootDir>/${variablesPath}`] },
    undefined,
    indent,
  );
  const code = `,\n${indent}"jest": ${key.replaceAll("\n", `\n${indent}`)}`;
  return applyEdits(text, [insertion(last.end, code)]);
}

function noteFor(path: string): string {
  return `Add to the configuration of Jest in ${path}, so that its tests load the kit:

  transform: { ${JSON.stringify(compiledPattern)}: "<rootDir>/${transformerPath}" }, // above your others
  transformIgnorePatterns: ${JSON.stringify(ignoredPatterns)}, // instead of a pattern that matches these packages
  setupFiles: ["<rootDir>/${variablesPath}"],
`;
}
