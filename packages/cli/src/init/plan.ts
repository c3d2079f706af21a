import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { InitCommand } from "../command/command-line.ts";
import type { AppContext } from "./app-context.ts";
import { type AppDeclaration, findAppDeclarations, findAppPlugin } from "./app-declaration.ts";
import { devScript } from "./dev-script.ts";
import { change, type FileChange } from "./file-change.ts";
import { findAllSources, findSources } from "./find-sources.ts";
import { freePaths, isPathBelow, isPathIn, type MountPaths } from "./free-path.ts";
import type { HostOptions, HostPlan } from "./hosts/host-plan.ts";
import { nextFolders, planNext, planSvelteKit, svelteFolders } from "./hosts/route-files.ts";
import { planServerApp } from "./hosts/server-app.ts";
import { type JestPlan, planJest } from "./jest/plan-jest.ts";
import { importEnding, specifierBetween } from "./kit-specifier.ts";
import { detectPackageManager, type Host, type Manifest, type PackageManager, readManifest } from "./manifest.ts";
import type { AppSession } from "./sessions/app-session.ts";
import { type FoundSessions, findSessions } from "./sessions/find-sessions.ts";
import { withoutSecrets, withScript, withVariables } from "./settings-files.ts";
import { importsOf, type SourceFile } from "./source-file.ts";
import { importedNames } from "./syntax.ts";
import { findUsers } from "./users/find-users.ts";

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
  /** The names of the app's sessions, if it has several: the developer chooses. */
  readonly choices: readonly string[];
  /** The path of the login. */
  readonly loginPath: string;
  /** Whether the users are a table in memory. */
  readonly lacksUsers: boolean;
}

/** What the plan is for. */
export interface PlanOptions extends Pick<InitCommand, "folder" | "countries"> {
  /** The name of the sessions that the developer has chosen. Default: the first ones. */
  readonly chosen?: string | undefined;
}

/** Plans the changes to an app. Nothing is written. @throws CommandError if the folder has no app */
export function planInit({ folder, countries, chosen }: PlanOptions): Plan {
  const manifest = readManifest(folder);
  const found = findSources(folder, manifest);
  const declarations = declarationsIn(found, manifest);
  const [first] = declarations;
  // With several apps, only the developer knows which one is meant.
  const declaration = declarations.length === 1 ? first : undefined;
  const host = hostOf(manifest, first);
  const styled = isRouted(host) ? undefined : (declaration?.file ?? found[0]);
  const kit = kitPlace(folder, host, styled);
  const sources = findAllSources(folder, found);
  const ending = styled ? importEnding(folder, styled, manifest) : () => "";
  const specifierOf = (path: string) => specifierBetween(kit, path, ending(extname(path)));
  const app: AppContext = { folder, manifest, sources, hasTypes: /ts$/.test(extname(kit)), specifierOf };
  const users = findUsers(app);
  const sessions = findSessions(app, host, users?.idIsNumber ?? false);
  const session = sessions.plain.find(({ title }) => title === chosen) ?? (chosen ? undefined : sessions.plain[0]);
  const paths = pathsOf(folder, host, sources);
  const options: HostOptions = { app, host, countries, session, users, paths };
  const isMounted = sources.some((file) =>
    [...importedNames(file).values()].some(({ from }) => /^@doorcode\/(express|fastify|fetch)$/.test(from)),
  );
  const planned = isMounted ? { changes: [], notes: [] } : planHost(options, declaration, first, styled, kit);
  const manager = detectPackageManager(folder);
  const jest = planJest(folder, manifest);
  const script = devScript({ app, host, manager, entry: declaration?.file.path, webhookPath: paths.webhooks });
  const notes = [
    ...sessionNotes(sessions, session),
    ...(users ? [users.suggestion] : []),
    ...(paths.login === "/login" ? [] : [`Your app has a route /login, so the login by phone is at ${paths.login}.`]),
    ...planned.notes,
    ...dotenvNotes(found),
    ...script.notes,
  ];
  return {
    changes: [...planned.changes, ...settingsChanges(folder, manifest, script, jest.edits)],
    installs: planInstalls(manifest, host, manager, jest),
    notes: [...(isMounted ? [] : notes.filter((note) => note !== "")), ...jest.notes],
    refusal: jest.tooOld,
    choices: sessions.plain.length > 1 && !isMounted ? sessions.plain.map(({ title }) => title) : [],
    loginPath: paths.login,
    lacksUsers: users === undefined,
  };
}

/** A plugin that is a whole app has the sessions and the routes; the file that creates the app only starts it. */
function declarationsIn(found: readonly SourceFile[], manifest: Manifest): readonly AppDeclaration[] {
  const plugins = manifest.hosts.includes("fastify") ? found.flatMap((file) => findAppPlugin(file) ?? []) : [];
  return plugins.length > 0 ? plugins : found.flatMap(findAppDeclarations);
}

const isRouted = (host: Host) => host === "nextjs" || host === "sveltekit";

function hostOf({ hosts: [first = "express"] }: Manifest, declaration: AppDeclaration | undefined): Host {
  return isRouted(first) ? first : (declaration?.framework ?? first);
}

/** The path of the kit's file. */
function kitPlace(folder: string, host: Host, styled: SourceFile | undefined): string {
  const extension = styled ? extname(styled.path) || ".js" : existsSync(join(folder, "tsconfig.json")) ? ".ts" : ".js";
  if (isRouted(host)) return join(folder, (host === "nextjs" ? nextFolders(folder) : svelteFolders).kit + extension);
  return join(styled ? dirname(styled.path) : folder, `doorcode${extension}`);
}

function pathsOf(folder: string, host: Host, sources: readonly SourceFile[]): MountPaths {
  if (!isRouted(host)) return freePaths(isPathIn(sources));
  const { routes } = host === "nextjs" ? nextFolders(folder) : svelteFolders;
  return freePaths((path) => [routes, "pages", "src/pages"].some((below) => isPathBelow(join(folder, below))(path)));
}

function planHost(
  options: HostOptions,
  declaration: AppDeclaration | undefined,
  first: AppDeclaration | undefined,
  styled: SourceFile | undefined,
  kitPath: string,
): HostPlan {
  const { host } = options;
  if (host === "nextjs") return planNext(options);
  if (host === "sveltekit") return planSvelteKit(options);
  return planServerApp({ ...options, framework: first?.framework ?? host, declaration, styled, kitPath });
}

function sessionNotes({ plain, others }: FoundSessions, session: AppSession | undefined): readonly string[] {
  const used = session ? `the sessions of ${session.title}` : "the kit's own sessions";
  const several = plain.length > 1 ? [`Your app has several logins. This one uses ${used}.`] : [];
  const unknown = others.map(
    (name) =>
      `Your app uses ${name}, for which init writes no sessions. This login uses ${used}: https://github.com/doorcode/doorcode/blob/main/packages/core/docs/own-sessions.md`,
  );
  return [...several, ...unknown, ...(session?.notes ?? [])];
}

function settingsChanges(
  folder: string,
  manifest: Manifest,
  { name, command }: ReturnType<typeof devScript>,
  { "package.json": editManifest = (text: string) => text, ...edits }: JestPlan["edits"],
): readonly FileChange[] {
  const hasSandbox = Object.values(manifest.scripts).some((script) => script?.includes("doorcode-sandbox"));
  return [
    ...change(folder, ".env", withVariables),
    ...change(folder, ".gitignore", withoutSecrets),
    ...change(folder, "package.json", (text) =>
      editManifest(hasSandbox || command === undefined ? text : withScript(text, name, command)),
    ),
    ...Object.entries(edits).flatMap(([path, edit]) => change(folder, path, edit)),
  ];
}

function planInstalls(
  { dependencies }: Manifest,
  host: Host,
  manager: PackageManager,
  jest: JestPlan,
): Plan["installs"] {
  const lacks = (name: string) => dependencies[name.replace(/(?!^)@.*/, "")] === undefined;
  const adapter = host === "fastify" ? "fastify" : host === "express" || host === "nestjs" ? "express" : "fetch";
  const packages = ["@doorcode/core", `@doorcode/${adapter}`].filter(lacks);
  const forDevelopment = ["@doorcode/sandbox", ...jest.packages].filter(lacks);
  const verb = manager === "npm" ? "install" : "add";
  return [
    ...(packages.length > 0 ? [[manager, verb, ...packages] as const] : []),
    ...(forDevelopment.length > 0 ? [[manager, verb, "-D", ...forDevelopment] as const] : []),
  ];
}

/** Imports run before every statement of a file. */
function dotenvNotes(sources: readonly SourceFile[]): readonly string[] {
  const late = sources.find((file) => file.isModule && importsOf(file).includes("dotenv"));
  if (!late) return [];
  return [
    `Your app calls dotenv after its imports, and the kit reads its variables before: import "dotenv/config" first.`,
  ];
}
