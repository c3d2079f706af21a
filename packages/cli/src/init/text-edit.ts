/** A part of a text, by its offsets, and the code in its place. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly code: string;
}

/** Returns the edit that inserts code at an offset. */
export function insertion(offset: number, code: string): TextEdit {
  return { start: offset, end: offset, code };
}

/** Applies edits that do not overlap. Insertions at the same offset stay in their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let written = "";
  let done = 0;
  for (const { start, end, code } of edits.toSorted((a, b) => a.start - b.start)) {
    written += text.slice(done, start) + code;
    done = end;
  }
  return written + text.slice(done);
}
