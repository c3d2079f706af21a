import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** The files whose titles name a line, by its id. Titles of `describe` count too. */
export function filesByLine(): ReadonlyMap<string, readonly string[]> {
  // The lists of requirements repeat titles of tests.
  const exclude = ["test/attacks/**", "test/security/**"];
  const files = globSync(["test/**/*.ts", "packages/*/test/**/*.ts"], { cwd: root, exclude });
  const named = files.toSorted().flatMap((file) => linesIn(file).map((id) => ({ id, file })));
  return new Map([...Map.groupBy(named, ({ id }) => id)].map(([id, places]) => [id, places.map(({ file }) => file)]));
}

/** The lines at the beginning of the titles of a file: "L15, L17: a start …". */
function linesIn(file: string): string[] {
  const text = readFileSync(resolve(root, file), "utf8");
  const titles = text.matchAll(/["'`]((?:[LW]\d+, )*[LW]\d+): /g);
  return [...new Set([...titles].flatMap(([, ids = ""]) => ids.split(", ")))];
}
