import type { Message } from "../../state/message.ts";

/** Tells whether a message holds what is searched for: in its number, text, code or sender. Case does not matter. */
export function messageMatches({ to, text, code, sender }: Message, search: string): boolean {
  if (search === "") return true;
  const wanted = search.toLowerCase();
  if (to.includes(wanted.replaceAll(" ", "")) || code === search) return true;
  return text.toLowerCase().includes(wanted) || (sender?.toLowerCase().includes(wanted) ?? false);
}

/** A piece of a text, and whether it is what was searched for. */
export interface Piece {
  readonly text: string;
  readonly found: boolean;
}

/** Cuts a text at what was searched for, so that it can be marked. */
export function piecesOf(text: string, search: string): readonly Piece[] {
  const folded = text.toLowerCase();
  const wanted = search.toLowerCase();
  // Some letters change their length when they are folded, and places in one text mean nothing in the other then.
  if (wanted === "" || folded.length !== text.length) return [{ text, found: false }];
  const pieces: Piece[] = [];
  let end = 0;
  for (let start = folded.indexOf(wanted); start !== -1; start = folded.indexOf(wanted, end)) {
    pieces.push({ text: text.slice(end, start), found: false });
    end = start + wanted.length;
    pieces.push({ text: text.slice(start, end), found: true });
  }
  return [...pieces, { text: text.slice(end), found: false }].filter((piece) => piece.text !== "");
}
