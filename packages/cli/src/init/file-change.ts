import { existsSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../command/command-error.ts";
import { isOwnFile, readText } from "./own-file.ts";

/** A file to create or to change. */
export interface FileChange {
  /** The path, from the folder of the app. */
  readonly path: string;
  /** The present text; undefined for a new file. */
  readonly before: string | undefined;
  /** The new text. */
  readonly after: string;
}

/** Plans the change of a file. @throws CommandError for a file that init must not write */
export function change(folder: string, path: string, edit: (before: string) => string): readonly FileChange[] {
  const file = join(folder, path);
  if (!isOwnFile(folder, file)) {
    throw new CommandError(
      `${path} is a link, no file, or leads out of the folder, and init changes no other files: put a file there first`,
    );
  }
  const before = readText(file);
  if (before === undefined && existsSync(file)) {
    throw new CommandError(`${path} is not UTF-8, or larger than 1 MB, and init would change more than it adds`);
  }
  const after = edit(before ?? "");
  return after === before ? [] : [{ path, before, after }];
}

/** Plans a new file. One that is there stays as it is. */
export function newFile(folder: string, path: string, text: string): readonly FileChange[] {
  return change(folder, path, (before) => before || text);
}
