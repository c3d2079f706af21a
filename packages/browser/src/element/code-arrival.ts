import { codeIn, plainText } from "../view/typed-number.ts";

/** A change of the code field. */
export interface CodeChange {
  /** The field's value before. */
  readonly before: string;
  readonly value: string;
  /** The kind of input, as the event says; `undefined` where it does not, as for the autofill of most browsers. */
  readonly inputType: string | undefined;
  /** The text that was pasted just now. */
  readonly pasted: string | undefined;
  /** The number of digits; `null` if it is unknown. */
  readonly length: number | null;
}

/** What a change of the code field has brought. */
export interface Arrival {
  /** The code to put into the field; `undefined` to leave it as it is. */
  readonly code: string | undefined;
  /** True when all digits of a code of known length have come in one change. */
  readonly isWhole: boolean;
}

const typedKinds = /^(insertText|insertComposition|delete|history)/;

/**
 * Reads a change of the code field. While a person types, the field is left alone; a code that came in one change, by paste,
 * autofill or the clipboard of a keyboard, is freed of the words around it.
 */
export function readArrival({ before, value, inputType, pasted, length }: CodeChange): Arrival {
  const code = codeIn(value, length);
  const wasEmpty = !/\d/.test(plainText(before));
  const isTyped = inputType !== undefined && typedKinds.test(inputType);
  const isPaste = inputType === "insertFromPaste" || inputType === "insertFromDrop";
  const cameAtOnce = wasEmpty || (isPaste ? pasted !== undefined && codeIn(pasted, length) === code : !isTyped);
  // Someone who types a code of unknown length is not interrupted at its fourth digit.
  if (code === undefined || (isTyped && length === null) || !cameAtOnce) return { code: undefined, isWhole: false };
  return { code, isWhole: length !== null };
}
