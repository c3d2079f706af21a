import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Doorcode, doorcodeParts } from "@doorcode/core/adapter";
import { CommandError } from "../command/command-error.ts";

/**
 * Loads the kit that a module of the app exports: as `doorcode`, as its default, or as its only kit.
 *
 * @throws CommandError if there is no such file, it fails, or exports no kit or several
 */
export async function loadKit(path: string): Promise<Doorcode> {
  const file = resolve(path);
  if (!existsSync(file)) throw new CommandError(`--kit ${path}: there is no such file`);
  const exported = await importModule(path, file);
  const preferred = [exported.doorcode, exported.default].find(isKit);
  if (preferred) return preferred;
  const kits = [...new Set(Object.values(exported).filter(isKit))];
  const [kit] = kits;
  if (kit && kits.length === 1) return kit;
  const found = kits.length === 0 ? "no kit" : "several kits";
  throw new CommandError(
    `--kit ${path}: it exports ${found}: export the return value of createDoorcode under the name doorcode`,
  );
}

async function importModule(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`--kit ${path}: it could not be loaded: ${reason.split("\n")[0]}`);
  }
}

/** The package of the app may be another copy than the one of this command. */
function isKit(value: unknown): value is Doorcode {
  return typeof value === "object" && value !== null && doorcodeParts in value;
}
