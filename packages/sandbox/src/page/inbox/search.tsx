import type { Message } from "../../state/message.ts";
import type { Html } from "../components/elements.tsx";

/** Tells whether the number, text, code or sender of a message contains the search text, in upper or lower case. */
export function messageMatches({ to, text, code, sender }: Message, search: string): boolean {
  if (search === "") return true;
  const wanted = search.toLowerCase();
  if (to.includes(wanted.replaceAll(" ", "")) || code === search) return true;
  return text.toLowerCase().includes(wanted) || (sender?.toLowerCase().includes(wanted) ?? false);
}

/** Shows a text with the search text highlighted. */
export function Highlight({ text, search }: { readonly text: string; readonly search: string }): Html {
  return <>{splitAt(text, search).map((part) => (part.matches ? <mark>{part.text}</mark> : part.text))}</>;
}

/** A part of a text. */
interface TextPart {
  readonly text: string;
  readonly matches: boolean;
}

/** Splits a text before and after each occurrence of the search text. */
export function splitAt(text: string, search: string): readonly TextPart[] {
  const folded = text.toLowerCase();
  const wanted = search.toLowerCase();
  // Lower case changes the length of some letters. Positions in the folded text are then wrong for the original.
  if (wanted === "" || folded.length !== text.length) return [{ text, matches: false }];
  const parts: TextPart[] = [];
  let end = 0;
  for (let start = folded.indexOf(wanted); start !== -1; start = folded.indexOf(wanted, end)) {
    parts.push({ text: text.slice(end, start), matches: false });
    end = start + wanted.length;
    parts.push({ text: text.slice(start, end), matches: true });
  }
  return [...parts, { text: text.slice(end), matches: false }].filter((part) => part.text !== "");
}
