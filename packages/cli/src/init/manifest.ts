import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../command/command-error.ts";
import { type Framework, frameworks } from "./app-declaration.ts";
import { readText } from "./own-file.ts";

/** The parts of a package.json that matter here. */
export interface Manifest {
  /** The text of the file. */
  readonly text: string;
  /** The scripts by name. */
  readonly scripts: Readonly<Record<string, string | undefined>>;
  /** The names of all dependencies, with their ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The frameworks among them. */
  readonly frameworks: readonly Framework[];
  /** The module that the package names as its main one. */
  readonly main: string | undefined;
  /** Whether `.js` and `.ts` files are ECMAScript modules. */
  readonly isModule: boolean;
}

/** The oldest supported major version of each framework. */
const oldest: Readonly<Record<Framework, number>> = { express: 4, fastify: 5 };

/** Reads the package.json of an app. @throws CommandError if there is none, or it has no framework that is supported */
export function readManifest(folder: string): Manifest {
  const path = join(folder, "package.json");
  const text = readText(path);
  if (text === undefined)
    throw new CommandError(`there is no package.json in ${folder}: run init in the folder of your app`);
  const { scripts, dependencies, devDependencies, main, type } = parseManifest(path, text);
  const all = { ...textsOf(devDependencies), ...textsOf(dependencies) };
  const found = frameworks.filter((name) => all[name] !== undefined);
  if (found.length === 0) {
    throw new CommandError(
      "package.json has neither express nor fastify: for other hosts, see the README of @doorcode/fetch",
    );
  }
  for (const name of found) requireSupported(name, all[name] ?? "");
  const entry = typeof main === "string" ? main : undefined;
  return {
    text,
    scripts: textsOf(scripts),
    dependencies: all,
    frameworks: found,
    main: entry,
    isModule: type === "module",
  };
}

/** Parses the text of a package.json. @throws CommandError if it is not JSON */
export function parseManifest(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new CommandError(`${path} is not valid JSON: correct it first`);
  }
}

/** Returns the members that are texts: anybody may write anything into a package.json. */
function textsOf(members: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(Object(members)).filter(([, value]) => typeof value === "string")) as Record<
    string,
    string
  >;
}

function requireSupported(name: Framework, range: string): void {
  const major = Number(/\d+/.exec(range)?.[0]);
  if (major < oldest[name]) {
    throw new CommandError(`package.json has ${name} ${range}: Doorcode needs ${name} ${oldest[name]} or newer`);
  }
}

const lockfiles = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
} as const;

/** A package manager. */
export type PackageManager = (typeof lockfiles)[keyof typeof lockfiles];

/** Detects the package manager by the nearest lockfile, of the app or of a workspace around it. Default: npm. */
export function detectPackageManager(folder: string): PackageManager {
  const here = resolve(folder);
  for (const [file, manager] of Object.entries(lockfiles)) if (existsSync(join(here, file))) return manager;
  const isRoot = dirname(here) === here || existsSync(join(here, ".git"));
  return isRoot ? "npm" : detectPackageManager(dirname(here));
}
