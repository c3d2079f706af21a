const basic: ReadonlySet<string> = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const extended: ReadonlySet<string> = new Set("\f^{}\\[~]|€");

/** Returns the characters of a text that GSM-7 does not have, each once. One of them halves the room of an SMS. */
export function foreignToGsm7(text: string): readonly string[] {
  return [...new Set(text)].filter((character) => !basic.has(character) && !extended.has(character));
}

/** Counts the characters of a text as an SMS does: those of GSM-7's extension, such as `€` and `[`, take the room of two. */
export function countGsm7(text: string): number {
  return [...text].reduce((count, character) => count + (extended.has(character) ? 2 : 1), 0);
}
