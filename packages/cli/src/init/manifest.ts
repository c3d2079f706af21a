import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommandError } from "../command/command-error.ts";
import { readText } from "./own-file.ts";

/** The hosts of an app, each with its package and the oldest supported major version. The first one that an app has is taken. */
const hosts = {
  nextjs: ["next", 13],
  sveltekit: ["@sveltejs/kit", 2],
  nestjs: ["@nestjs/core", 10],
  express: ["express", 4],
  fastify: ["fastify", 5],
  hono: ["hono", 4],
} as const;

/** A host of an app. */
export type Host = keyof typeof hosts;

/** The parts of a package.json that matter here. */
export interface Manifest {
  /** The text of the file. */
  readonly text: string;
  /** The scripts by name. */
  readonly scripts: Readonly<Record<string, string | undefined>>;
  /** The names of all dependencies, with their ranges. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The hosts among them. */
  readonly hosts: readonly Host[];
  /** The module that the package names as its main one. */
  readonly main: string | undefined;
  /** Whether `.js` and `.ts` files are ECMAScript modules. */
  readonly isModule: boolean;
}

/** Reads the package.json of an app. @throws CommandError if there is none, or it has no host that is supported */
export function readManifest(folder: string): Manifest {
  const path = join(folder, "package.json");
  const text = readText(path);
  if (text === undefined)
    throw new CommandError(`there is no package.json in ${folder}: run init in the folder of your app`);
  const { scripts, dependencies, devDependencies, main, type } = parseManifest(path, text);
  const all = { ...textsOf(devDependencies), ...textsOf(dependencies) };
  const found = (Object.keys(hosts) as Host[]).filter((host) => all[hosts[host][0]] !== undefined);
  if (found.length === 0) {
    const names = new Intl.ListFormat("en", { type: "disjunction" }).format(Object.values(hosts).map(([name]) => name));
    throw new CommandError(`package.json does not have ${names}: for other hosts, see the README of @doorcode/fetch`);
  }
  for (const host of found) requireSupported(host, all[hosts[host][0]] ?? "");
  const entry = typeof main === "string" ? main : undefined;
  return {
    text,
    scripts: textsOf(scripts),
    dependencies: all,
    hosts: found,
    main: entry,
    isModule: type === "module",
  };
}

/** Parses the text of a package.json, which may begin with a byte order mark: npm reads it. @throws CommandError if it is not JSON */
export function parseManifest(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text.replace(/^\uFEFF/, "")));
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

function requireSupported(host: Host, range: string): void {
  const [name, oldest] = hosts[host];
  if (Number(/\d+/.exec(range)?.[0]) < oldest) {
    throw new CommandError(`package.json has ${name} ${range}: Doorcode needs ${name} ${oldest} or newer`);
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
