import { existsSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { onlyDeclaration } from "../app-context.ts";
import type { AppDeclaration } from "../app-declaration.ts";
import { styleOf } from "../code-style.ts";
import { change, newFile } from "../file-change.ts";
import { isRouted } from "../find-app.ts";
import { kitFile } from "../kit-file.ts";
import { importEnding, specifierBetween } from "../kit-specifier.ts";
import { findMountPlaces, type LoginNeeds } from "../middleware-chain.ts";
import { canMount, insertMounts, type MountLines, type MountOptions, mountLines } from "../mount-lines.ts";
import { nodesIn, type SourceFile } from "../source-file.ts";
import { callsIn, literalText, memberPath, namesFrom } from "../syntax.ts";
import { honoRoutes } from "./hono-routes.ts";
import type { HostOptions, HostPlan } from "./host-plan.ts";

/** Plans the kit's file, and the mounts in the file that creates the app. What is not plain is printed. */
export function planServerApp(options: HostOptions): HostPlan {
  const { app } = options;
  const declaration = onlyDeclaration(app);
  const mount = mountOptions(options, app.styled);
  const kit = kitChange(options, mount);
  const folder = declaration && routesFolder(declaration);
  if (declaration && folder !== undefined) {
    const path = join(folder, `doorcode${extname(declaration.file.path)}`);
    const plugin = pluginFile({ ...mount, kit: specifierBetween(path, app.kitPath, extname(mount.kit)) }, app);
    const written = newFile(app.folder, relative(app.folder, path), styleOf(declaration.file)(plugin));
    return { changes: [...kit, ...written], notes: [] };
  }
  const lines = mountLines(mount);
  const isFree = declaration !== undefined && canMount(declaration, lines);
  const places = isFree ? findMountPlaces(declaration, needsOf(declaration, options)) : undefined;
  const mounted = declaration && places && insertMounts(declaration, lines, places);
  if (!declaration || mounted === undefined) return { changes: kit, notes: [linesNote(options, lines)] };
  const path = relative(app.folder, declaration.file.path);
  return { changes: [...kit, ...change(app.folder, path, () => mounted)], notes: [] };
}

function mountOptions({ app, session, paths, hasPage }: HostOptions, styled: SourceFile | undefined): MountOptions {
  const [first] = app.declarations;
  const extension = extname(app.kitPath);
  const framework = first?.framework ?? app.host;
  return {
    framework: isRouted(framework) ? "express" : framework,
    app: onlyDeclaration(app)?.name ?? "app",
    isModule: styled?.isModule ?? (app.manifest.isModule || app.hasTypes),
    kit: `./doorcode${styled ? importEnding(app.folder, styled, app.manifest)(extension) : extension}`,
    hasSessions: session !== undefined,
    paths,
    hasPage,
  };
}

function kitChange(options: HostOptions, { framework, isModule }: MountOptions): HostPlan["changes"] {
  const { app, paths, hasPage } = options;
  const more = framework === "hono" ? { more: honoRoutes(app, paths, hasPage) } : {};
  const text = kitFile({ ...options, ...more, hasTypes: app.hasTypes, isModule });
  return newFile(app.folder, relative(app.folder, app.kitPath), app.styled ? styleOf(app.styled)(text) : text);
}

/** With `@fastify/autoload`, the sessions are in the plugins that it loads. */
function needsOf(declaration: AppDeclaration, { session }: HostOptions): LoginNeeds {
  const autoload = "@fastify/autoload";
  const { required, optional } = session?.needs ?? { required: [], optional: [] };
  const loads = namesFrom(declaration.file, autoload).length > 0;
  return loads ? { required: [autoload], optional: [...required, ...optional] } : { required, optional };
}

function linesNote({ app, session }: HostOptions, { imports, webhooks, login }: MountLines): string {
  const declaration = onlyDeclaration(app);
  const place = declaration ? relative(app.folder, declaration.file.path) : "the file that creates your app";
  const below = session?.needs.required.length ? ", the login below the session and above CSRF protection" : "";
  const lines = [...imports, webhooks, login].filter((line) => line !== "").map((line) => `  ${line}`);
  return `Add to ${place}, above every body parser${below}:\n\n${lines.join("\n")}`;
}

/** The folder of routes that an app of fastify-cli loads after its plugins. */
function routesFolder({ file, framework, name }: AppDeclaration): string | undefined {
  const isPlugin = ![...nodesIn(file.program)].some(
    (node) => node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.id.name === name,
  );
  if (framework !== "fastify" || !isPlugin) return undefined;
  const registered = callsIn(file.program).filter(({ callee }) => memberPath(callee)?.join(".") === `${name}.register`);
  for (const node of registered.flatMap(({ arguments: given }) => given.flatMap((each) => [...nodesIn(each)]))) {
    const text = literalText(node);
    if (text === undefined || !/(^|\/)routes$/.test(text)) continue;
    const folder = join(dirname(file.path), text);
    if (existsSync(folder)) return folder;
  }
  return undefined;
}

/** Writes a plugin that `@fastify/autoload` finds. It inherits the app's plugins, so it needs no fastify-plugin. */
function pluginFile(options: MountOptions, { hasTypes, typed }: HostOptions["app"]): string {
  const { imports, webhooks, login } = mountLines({ ...options, app: "fastify" });
  const types = hasTypes ? ['import type { FastifyInstance } from "fastify";'] : [];
  const signature = `async function doorcodeRoutes(fastify${typed(": FastifyInstance")})`;
  return `${[...imports, ...types].join("\n")}

${options.isModule ? "export default" : "module.exports ="} ${signature} {
  await ${webhooks}
  await ${login}
}${options.isModule ? "" : ";"}
`;
}
