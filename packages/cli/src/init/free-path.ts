import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nodesIn, type SourceFile } from "./source-file.ts";
import { literalText } from "./syntax.ts";

/** The paths of the mounts. */
export interface MountPaths {
  readonly login: string;
  readonly webhooks: string;
}

/** Chooses the paths of the mounts: a route of the app at `/login` or `/webhooks` stays alone. */
export function freePaths(isTaken: (path: string) => boolean): MountPaths {
  return {
    login: isTaken("/login") ? "/phone-login" : "/login",
    webhooks: isTaken("/webhooks") ? "/doorcode-webhooks" : "/webhooks",
  };
}

/** Tells whether a text of the sources is this path. */
export function isPathIn(sources: readonly SourceFile[]): (path: string) => boolean {
  const texts = new Set(sources.flatMap(({ program }) => [...nodesIn(program)].map((node) => literalText(node))));
  return (path) => texts.has(path);
}

/** Tells whether a folder of routes has a route at this path. Folders in parentheses are no part of the path. */
export function isPathBelow(folder: string): (path: string) => boolean {
  const endings = ["", ".tsx", ".jsx", ".ts", ".js"];
  return (path) => foldersAt(folder).some((place) => endings.some((ending) => existsSync(join(place, path + ending))));
}

function foldersAt(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const groups = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && /^\(.*\)$/.test(entry.name),
  );
  return [folder, ...groups.flatMap(({ name }) => foldersAt(join(folder, name)))];
}
