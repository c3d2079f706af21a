import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The package with the metadata of phone numbers, which every library that judges numbers needs. */
const phoneMetadata = "libphonenumber-js";

/** What an installation writes. */
export interface InstalledSize {
  readonly packages: number;
  readonly bytes: number;
  /** The part of the metadata of phone numbers. */
  readonly phoneMetadataBytes: number;
}

/** Sums up packages with all that they depend on, each once. Packages of this repository count as they are published. */
export function installedSize(folders: readonly string[]): InstalledSize {
  const found = new Map<string, number>();
  for (const folder of folders) addPackage(folder, found);
  const bytes = [...found.values()].reduce((sum, size) => sum + size, 0);
  const metadata = [...found].find(([folder]) => folder.endsWith(`/${phoneMetadata}`));
  return { packages: found.size, bytes, phoneMetadataBytes: metadata?.[1] ?? 0 };
}

function addPackage(linked: string, found: Map<string, number>): void {
  const folder = realpathSync(linked);
  if (found.has(folder)) return;
  found.set(folder, folder.includes("node_modules") ? bytesOf(folder) : publishedBytesOf(folder));
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) addPackage(findDependency(name, folder), found);
}

/** Finds a dependency as Node does: in the folder of the package, or in one above it. */
function findDependency(name: string, folder: string): string {
  const path = join(folder, "node_modules", name);
  if (existsSync(join(path, "package.json"))) return path;
  if (dirname(folder) === folder) throw new Error(`${name} is not installed.`);
  return findDependency(name, dirname(folder));
}

function bytesOf(folder: string): number {
  return globSync("**/*", { cwd: folder, exclude: ["node_modules"], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The part of what npm prints about a packed package. */
interface PackedEntry {
  readonly files: readonly { readonly size: number }[];
}

function publishedBytesOf(folder: string): number {
  const shell = process.platform === "win32";
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel", "error"];
  const packed = execFileSync("npm", words, { cwd: folder, encoding: "utf8", shell });
  const [entry]: readonly PackedEntry[] = Object.values(JSON.parse(packed));
  return (entry?.files ?? []).reduce((sum, { size }) => sum + size, 0);
}
