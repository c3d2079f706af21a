const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const extension = new Set("\f^{}\\[~]|€");

type Encoding = "GSM-7" | "UCS-2";

/** Returns the encoding of a text. One character outside of GSM-7 makes the whole text UCS-2. */
export function encodingOf(text: string): Encoding {
  for (const character of text) {
    if (!basic.has(character) && !extension.has(character)) return "UCS-2";
  }
  return "GSM-7";
}

/**
 * Counts the segments of a text.
 *
 * GSM-7 (3GPP TS 23.038, without national tables) has 160 septets in a single segment and 153 in each of several. UCS-2
 * has 70 and 67 units. A character of two units is never split between segments, so a unit can stay unused.
 */
export function countSegments(text: string): number {
  const gsm7 = encodingOf(text) === "GSM-7";
  const characters = [...text];
  const septetsOf = (character: string) => (extension.has(character) ? 2 : 1);
  const sizes = characters.map((character) => (gsm7 ? septetsOf(character) : character.length));
  const [singleCapacity, capacity] = gsm7 ? [160, 153] : [70, 67];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total <= singleCapacity ? 1 : countConcatenated(sizes, capacity);
}

function countConcatenated(sizes: readonly number[], capacity: number): number {
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > capacity) {
      segments++;
      used = 0;
    }
    used += size;
  }
  return segments;
}
