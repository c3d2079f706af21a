import { join } from "node:path";
import type { InitCommand } from "../command/command-line.ts";
import { type AppContext, onlyDeclaration } from "./app-context.ts";
import { devScript } from "./dev-script.ts";
import { loadsVariables } from "./env-file.ts";
import { change, type FileChange } from "./file-change.ts";
import { findApp, isRouted } from "./find-app.ts";
import { freePaths, isPathBelow, isPathIn, type MountPaths } from "./free-path.ts";
import type { HostOptions, HostPlan } from "./hosts/host-plan.ts";
import { nextFolders, planNext, planSvelteKit, svelteFolders } from "./hosts/route-files.ts";
import { planServerApp } from "./hosts/server-app.ts";
import { withJest } from "./jest/plan-jest.ts";
import { detectPackageManager, type PackageManager } from "./manifest.ts";
import type { AppSession } from "./sessions/app-session.ts";
import { type FoundSessions, findSessions } from "./sessions/find-sessions.ts";
import { withoutSecrets, withScript, withVariables } from "./settings-files.ts";
import { importedNames } from "./syntax.ts";
import { testScript } from "./test-script.ts";
import { findUsers } from "./users/find-users.ts";

/** All that `init` would do. */
export interface Plan {
  /** The files to create or to change. */
  readonly changes: readonly FileChange[];
  /** The commands that install the packages. */
  readonly installs: readonly (readonly [PackageManager, ...string[]])[];
  /** Sentences for the developer: what is left to do. */
  readonly notes: readonly string[];
  /** Why the tests of the app would fail after the changes. */
  readonly refusal?: string | undefined;
  /** Whether the login can have a page: it is not there yet. */
  readonly offersPage: boolean;
  /** The names of the app's sessions, if it has several: the developer chooses. */
  readonly choices: readonly string[];
  /** The script that runs the app with the sandbox. */
  readonly script: string;
  /** The path of the login. */
  readonly loginPath: string;
  /** Whether the users are a table in memory. */
  readonly lacksUsers: boolean;
}

/** What the plan is for. */
export interface PlanOptions extends Pick<InitCommand, "folder" | "countries"> {
  /** The name of the sessions that the developer has chosen. Default: the first ones. */
  readonly chosen?: string | undefined;
  /** Whether the login has a page. Default: false. */
  readonly page?: boolean | undefined;
}

/** Plans the changes to an app. Nothing is written. @throws CommandError if the folder has no app */
export function planInit({ folder, countries, chosen, page: hasPage = false }: PlanOptions): Plan {
  const app = findApp(folder);
  const users = findUsers(app);
  const sessions = findSessions(app, users?.idIsNumber ?? false);
  const titles = sessions.plain.map(({ title }) => title);
  const session = sessions.plain.find(({ title }) => title === (chosen ?? titles[0]));
  const paths = pathsOf(app);
  const isMounted = hasKit(app);
  const planned = isMounted ? { changes: [], notes: [] } : planHost({ app, countries, session, users, paths, hasPage });
  const manager = detectPackageManager(folder);
  const entry = onlyDeclaration(app)?.file.path;
  const tests = testScript(app.manifest);
  const script = devScript({ app, manager, entry, webhookPath: paths.webhooks });
  const notes = [
    ...sessionNotes(sessions, session),
    users?.suggestion.trim() ?? "",
    paths.login === "/login" ? "" : `Your app has a route /login, so the login by phone is at ${paths.login}.`,
    ...planned.notes,
    ...dotenvNotes(app),
    ...script.notes,
    ...tests.notes,
  ];
  const plan = {
    changes: [...planned.changes, ...settingsChanges(app, { [script.name]: script.command, test: tests.command })],
    installs: planInstalls(app, manager, hasPage && !isMounted),
    notes: isMounted ? [] : notes.filter((note) => note !== ""),
    offersPage: !isMounted,
    choices: titles.length > 1 && !isMounted ? titles : [],
    script: runsSandbox(app.manifest) ? "dev" : script.name,
    loginPath: paths.login,
    lacksUsers: users === undefined,
  };
  return withJest(plan, app, manager);
}

/** Tells whether the app uses the kit already. */
function hasKit({ sources }: AppContext): boolean {
  const origins = sources.flatMap((file) => [...importedNames(file).values()]);
  return origins.some(({ from }) => /^@doorcode\/(express|fastify|fetch)$/.test(from));
}

function pathsOf({ folder, host, sources }: AppContext): MountPaths {
  if (!isRouted(host)) return freePaths(isPathIn(sources));
  const { routes } = host === "nextjs" ? nextFolders(folder) : svelteFolders;
  return freePaths((path) => [routes, "pages", "src/pages"].some((below) => isPathBelow(join(folder, below))(path)));
}

function planHost(options: HostOptions): HostPlan {
  const { host } = options.app;
  if (host === "nextjs") return planNext(options);
  return host === "sveltekit" ? planSvelteKit(options) : planServerApp(options);
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

/** Tells whether the app has a script with the sandbox already. */
function runsSandbox({ scripts }: AppContext["manifest"]): boolean {
  return Object.values(scripts).some((script) => script?.includes("doorcode-sandbox"));
}

function settingsChanges({ folder, manifest }: AppContext, commands: Readonly<Record<string, string | undefined>>) {
  return [
    ...change(folder, ".env", withVariables),
    ...change(folder, ".gitignore", withoutSecrets),
    ...(runsSandbox(manifest) ? [] : change(folder, "package.json", (text) => withScripts(text, commands))),
  ];
}

function withScripts(text: string, commands: Readonly<Record<string, string | undefined>>): string {
  const scripts = Object.entries(commands);
  return scripts.reduce((before, [name, command]) => (command ? withScript(before, name, command) : before), text);
}

function planInstalls({ manifest, host }: AppContext, manager: PackageManager, hasPage: boolean): Plan["installs"] {
  const lacks = (name: string) => manifest.dependencies[name] === undefined;
  const adapter = host === "fastify" ? "fastify" : host === "express" || host === "nestjs" ? "express" : "fetch";
  const page = hasPage ? ["@doorcode/browser"] : [];
  const packages = ["@doorcode/core", `@doorcode/${adapter}`, ...page].filter(lacks);
  const forDevelopment = ["@doorcode/sandbox"].filter(lacks);
  const verb = manager === "npm" ? "install" : "add";
  return [
    ...(packages.length > 0 ? [[manager, verb, ...packages] as const] : []),
    ...(forDevelopment.length > 0 ? [[manager, verb, "-D", ...forDevelopment] as const] : []),
  ];
}

/** Imports run before every statement of a file, and a `require` of the kit stands above the app. */
function dotenvNotes(app: AppContext): readonly string[] {
  const declared = onlyDeclaration(app);
  const isLate = app.reached.some((file) => {
    const first = file.isModule ? 0 : file === declared?.file ? declared.start : Number.POSITIVE_INFINITY;
    return file.program.body.some((node) => node.start >= first && loadsVariables(file, node));
  });
  if (!isLate) return [];
  return [
    "Your app loads .env after the kit, which reads its variables when it is loaded: load .env first, such as by node --env-file=.env.",
  ];
}
