import { existsSync } from "node:fs";
import { join } from "node:path";
import { newFile } from "../file-change.ts";
import { type KitFileOptions, kitFile } from "../kit-file.ts";
import { specifierBetween } from "../kit-specifier.ts";
import { pageImport, pageOptions } from "../mount-lines.ts";
import type { HostOptions, HostPlan } from "./host-plan.ts";

/** The folders of an app whose routes are files, relative to the folder of the app. */
export interface RouteFolders {
  readonly routes: string;
  /** The kit's file, without its extension. */
  readonly kit: string;
}

/** Finds the folders of a Next.js app, also if its App Router has no routes yet. */
export function nextFolders(folder: string): RouteFolders {
  const isInSource = ["src/app", "src/pages"].some((path) => existsSync(join(folder, path)));
  return isInSource ? { routes: "src/app", kit: "src/doorcode" } : { routes: "app", kit: "doorcode" };
}

/** The folders of a SvelteKit app. */
export const svelteFolders: RouteFolders = { routes: "src/routes", kit: "src/lib/doorcode.server" };

/** Plans the files of a Next.js app. */
export function planNext(options: HostOptions): HostPlan {
  const { app, paths } = options;
  const folders = nextFolders(app.folder);
  const major = Number(/\d+/.exec(app.manifest.dependencies.next ?? "")?.[0]);
  const hasAfter = !(major < 15);
  const after = hasAfter ? [{ from: "next/server", name: "after" }] : [];
  const text = kitFile({
    ...fileOptions(
      options,
      [{ from: "@doorcode/core", name: "createMemoryStore" }, ...after],
      [
        '  // The last entry is the one that your own proxy has added. On Vercel: headers.get("x-real-ip").',
        '  remoteAddress: ({ headers }) => headers.get("x-forwarded-for")?.split(",").at(-1),',
        ...(hasAfter ? ["  waitUntil: after,"] : []),
      ],
    ),
    option:
      '  // For one process. Several share the store of @doorcode/redis or @doorcode/postgres.\n  store: createMemoryStore({ name: "doorcode" }),\n',
  });
  const middleware = ["middleware", "proxy", "src/middleware", "src/proxy"].find((path) =>
    [".ts", ".js"].some((extension) => existsSync(join(app.folder, path + extension))),
  );
  const note = `Your ${middleware} must let ${paths.login}/… and ${paths.webhooks} pass without a login.`;
  return {
    changes: routeFiles(options, folders, text, "route", hasAfter),
    notes: middleware === undefined ? [] : [note],
  };
}

/** Plans the files of a SvelteKit app. */
export function planSvelteKit(options: HostOptions): HostPlan {
  const event = { from: "@sveltejs/kit", name: "RequestEvent", isType: true };
  const text = kitFile(
    fileOptions(
      options,
      [event, { from: "$env/dynamic/private", name: "env" }],
      [`  remoteAddress: (event${options.app.typed(": RequestEvent")}) => event.getClientAddress(),`],
    ),
  ).replaceAll("process.env.", "env.");
  return { changes: routeFiles(options, svelteFolders, text, "+server", false), notes: [] };
}

function fileOptions(
  options: HostOptions,
  imports: NonNullable<KitFileOptions["more"]>["imports"],
  lines: readonly string[],
): KitFileOptions {
  const { app, session, paths, hasPage } = options;
  const all = [
    `  basePath: "${paths.login}",`,
    ...lines,
    ...(session ? ["  session: sessions,"] : []),
    ...pageOptions(paths.login, hasPage).map((option) => `  ${option},`),
  ];
  return {
    ...options,
    hasTypes: app.hasTypes,
    isModule: true,
    more: {
      imports: [...(hasPage ? [pageImport] : []), { from: "@doorcode/fetch", name: "phoneLogin" }, ...imports],
      code: `/** The endpoints of the login. */\nexport const login = phoneLogin(doorcode, {\n${all.join("\n")}\n});\n`,
      exports: [],
    },
  };
}

function routeFiles(
  { app, paths, hasPage }: HostOptions,
  { routes, kit }: RouteFolders,
  text: string,
  file: string,
  hasAfter: boolean,
): HostPlan["changes"] {
  const extension = app.hasTypes ? ".ts" : ".js";
  const route = (path: string) => join(routes, path, file + extension);
  const from = (path: string) => specifierBetween(join(app.folder, path), join(app.folder, kit + extension), "");
  // In Next.js only the optional form has the page itself. In SvelteKit the other one has it, too.
  const login = route(join(paths.login, hasPage && file === "route" ? "[[...step]]" : "[...step]"));
  const webhooks = route(paths.webhooks);
  return [
    ...newFile(app.folder, kit + extension, text),
    ...newFile(
      app.folder,
      login,
      `import { login } from "${from(login)}";\n\nexport const { GET, POST } = login.handlers;\n`,
    ),
    ...newFile(
      app.folder,
      webhooks,
      `import { webhooks } from "@doorcode/fetch";
${hasAfter ? 'import { after } from "next/server";\n' : ""}import { doorcode } from "${from(webhooks)}";

export const { POST } = webhooks(doorcode, { basePath: "${paths.webhooks}"${hasAfter ? ", waitUntil: after" : ""} }).handlers;
`,
    ),
  ];
}
