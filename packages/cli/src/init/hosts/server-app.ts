import { existsSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import type { AnyNode } from "acorn";
import type { AppDeclaration, Framework } from "../app-declaration.ts";
import { styleOf } from "../code-style.ts";
import { change, newFile } from "../file-change.ts";
import { kitFile } from "../kit-file.ts";
import { importEnding, specifierBetween } from "../kit-specifier.ts";
import { findMountPlaces, type LoginNeeds } from "../middleware-chain.ts";
import { canMount, insertMounts, type MountLines, type MountOptions, mountLines } from "../mount-kit.ts";
import { nodesIn, type SourceFile } from "../source-file.ts";
import { callsIn, literalText, memberPath, namesFrom } from "../syntax.ts";
import { honoRoutes } from "./hono-routes.ts";
import type { HostOptions, HostPlan } from "./host-plan.ts";

/** What is known of an app that a file creates. */
export interface ServerAppOptions extends HostOptions {
  readonly framework: Framework;
  readonly declaration: AppDeclaration | undefined;
  /** The file whose style the kit's file has. */
  readonly styled: SourceFile | undefined;
  /** The kit's file. */
  readonly kitPath: string;
}

/** Plans the kit's file, and the mounts in the file that creates the app. What is not plain is printed. */
export function planServerApp(options: ServerAppOptions): HostPlan {
  const { app, framework, declaration, styled, kitPath, session, paths } = options;
  const isModule = styled?.isModule ?? (app.manifest.isModule || app.hasTypes);
  const text = kitFile({
    ...options,
    hasTypes: app.hasTypes,
    isModule,
    ...(framework === "hono" && { more: honoRoutes(app, paths) }),
  });
  const kit = newFile(app.folder, relative(app.folder, kitPath), styled ? styleOf(styled)(text) : text);
  const from = declaration?.file ?? styled;
  const ending = from ? importEnding(app.folder, from, app.manifest)(extname(kitPath)) : extname(kitPath);
  const mount: MountOptions = {
    framework,
    app: declaration?.name ?? "app",
    isModule,
    kit: from ? specifierBetween(from.path, kitPath, ending) : `./doorcode${ending}`,
    hasSessions: session !== undefined,
    paths,
  };
  const folder = declaration && routesFolder(declaration);
  if (declaration && folder !== undefined) {
    const path = join(folder, `doorcode${extname(declaration.file.path)}`);
    const plugin = pluginFile({ ...mount, kit: specifierBetween(path, kitPath, ending) }, app.hasTypes);
    const written = newFile(app.folder, relative(app.folder, path), styleOf(declaration.file)(plugin));
    return { changes: [...kit, ...written], notes: [] };
  }
  const lines = mountLines(mount);
  const places =
    declaration && canMount(declaration, lines) ? findMountPlaces(declaration, needsOf(options)) : undefined;
  if (!declaration || !places) return { changes: kit, notes: [linesNote(options, lines)] };
  const mounted = change(app.folder, relative(app.folder, declaration.file.path), () =>
    insertMounts(declaration, lines, places),
  );
  return { changes: [...kit, ...mounted], notes: [] };
}

/** With `@fastify/autoload`, the sessions are in the plugins that it loads. */
function needsOf({ declaration, session }: ServerAppOptions): LoginNeeds {
  const autoload = "@fastify/autoload";
  const { required, optional } = session?.needs ?? { required: [], optional: [] };
  const loads = declaration && namesFrom(declaration.file, autoload).length > 0;
  return loads ? { required: [autoload], optional: [...required, ...optional] } : { required, optional };
}

function linesNote({ app, declaration, session }: ServerAppOptions, { imports, webhooks, login }: MountLines): string {
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
  for (const node of registered.flatMap(({ arguments: given }) =>
    given.flatMap((each) => [...nodesIn(each as AnyNode)]),
  )) {
    const text = literalText(node);
    if (text === undefined || !/(^|\/)routes$/.test(text)) continue;
    const folder = join(dirname(file.path), text);
    if (existsSync(folder)) return folder;
  }
  return undefined;
}

/** Writes a plugin that `@fastify/autoload` finds. It inherits the app's plugins, so it needs no fastify-plugin. */
function pluginFile(options: MountOptions, hasTypes: boolean): string {
  const { imports, webhooks, login } = mountLines({ ...options, app: "fastify" });
  const types = hasTypes ? ['import type { FastifyInstance } from "fastify";'] : [];
  const signature = `async function doorcodeRoutes(fastify${hasTypes ? ": FastifyInstance" : ""})`;
  return `${[...imports, ...types].join("\n")}

${options.isModule ? "export default" : "module.exports ="} ${signature} {
  await ${webhooks}
  await ${login}
}${options.isModule ? "" : ";"}
`;
}
