import type { Html } from "../html.ts";
import { piecesOf } from "./search.ts";

/** A text in which what was searched for is marked. */
export function Marked({ text, search }: { readonly text: string; readonly search: string }): Html {
  return <>{piecesOf(text, search).map((piece) => (piece.found ? <mark>{piece.text}</mark> : piece.text))}</>;
}
