/**
 * Finds the name that a misspelled one stands for: it differs in at most a third of its characters, however it is capitalized or
 * divided. Returns `undefined` if there is none.
 */
export function nearestName(misspelled: string, names: readonly string[]): string | undefined {
  const typed = plain(misspelled);
  const near = names
    .map((name) => ({ name, changes: changesBetween(typed, plain(name)) }))
    .filter(({ name, changes }) => changes <= Math.floor(name.length / 3))
    .sort((one, other) => one.changes - other.changes);
  return near[0]?.name;
}

/** Writes a name without capitals and punctuation: `base_url` and `baseURL` are both `baseUrl`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Counts the characters to insert, remove or replace until one text is the other (Levenshtein). */
function changesBetween(one: string, other: string): number {
  // Row by row: the changes from the part of `one` that was read to each beginning of `other`.
  let row = Array.from({ length: other.length + 1 }, (_, length) => length);
  for (const [index, character] of [...one].entries()) {
    const next = [index + 1];
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
