import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import type { AppContext } from "./app-context.ts";
import { type AppDeclaration, findAppDeclarations, findAppPlugin } from "./app-declaration.ts";
import { exportsOf } from "./exports.ts";
import { findAllSources, findSources } from "./find-sources.ts";
import { nextFolders, svelteFolders } from "./hosts/route-files.ts";
import { importEnding, specifierBetween } from "./kit-specifier.ts";
import { type Host, type Manifest, readManifest } from "./manifest.ts";
import { importsOf, type SourceFile } from "./source-file.ts";
import { callsIn } from "./syntax.ts";

/** Finds the app of a folder. @throws CommandError if the folder has no app */
export function findApp(folder: string): AppContext {
  const manifest = readManifest(folder);
  const reached = findSources(folder, manifest);
  const declarations = declarationsIn(reached, manifest);
  const [first, second] = declarations;
  const host = hostOf(manifest, first);
  const styled = isRouted(host) ? undefined : ((second ? undefined : first?.file) ?? reached[0]);
  const kitPath = kitPlace(folder, host, styled);
  const ending = styled ? importEnding(folder, styled, manifest) : () => "";
  const sources = findAllSources(folder, reached);
  const hasTypes = /ts$/.test(extname(kitPath));
  return {
    folder,
    manifest,
    host,
    reached,
    sources,
    modules: new Set(sources.flatMap(importsOf)),
    exported: sources.flatMap(exportsOf),
    calls: sources.flatMap(({ program }) => callsIn(program)),
    declarations,
    styled,
    kitPath,
    hasTypes,
    typed: (code) => (hasTypes ? code : ""),
    specifierOf: (path) => specifierBetween(kitPath, path, ending(extname(path))),
  };
}

/** A plugin that is a whole app has the sessions and the routes; the file that creates the app only starts it. */
function declarationsIn(reached: readonly SourceFile[], manifest: Manifest): readonly AppDeclaration[] {
  const plugins = manifest.hosts.includes("fastify") ? reached.flatMap((file) => findAppPlugin(file) ?? []) : [];
  return plugins.length > 0 ? plugins : reached.flatMap(findAppDeclarations);
}

/** Tells whether the routes of a host are files. */
export function isRouted(host: Host): host is "nextjs" | "sveltekit" {
  return host === "nextjs" || host === "sveltekit";
}

function hostOf({ hosts: [first = "express"] }: Manifest, declaration: AppDeclaration | undefined): Host {
  return isRouted(first) ? first : (declaration?.framework ?? first);
}

function kitPlace(folder: string, host: Host, styled: SourceFile | undefined): string {
  const extension = styled ? extname(styled.path) || ".js" : existsSync(join(folder, "tsconfig.json")) ? ".ts" : ".js";
  if (isRouted(host)) return join(folder, (host === "nextjs" ? nextFolders(folder) : svelteFolders).kit + extension);
  return join(styled ? dirname(styled.path) : folder, `doorcode${extension}`);
}
