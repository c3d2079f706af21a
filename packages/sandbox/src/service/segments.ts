const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const extension = new Set("\f^{}\\[~]|€");

/** How an SMS is written on the air. */
export type Encoding = "GSM-7" | "UCS-2";

/** Tells the encoding that a text takes: UCS-2 for the whole of it as soon as one character is outside of GSM-7. */
export function encodingOf(text: string): Encoding {
  for (const character of text) {
    if (!basic.has(character) && !extension.has(character)) return "UCS-2";
  }
  return "GSM-7";
}

/**
 * Counts the SMS that a text takes.
 *
 * GSM-7 (3GPP TS 23.038, without national tables): 160 septets in one part, 153 in each of several; UCS-2: 70 units, or
 * 67. A character of two units never straddles two parts, so packing can leave a unit unused.
 */
export function countSegments(text: string): number {
  const gsm7 = encodingOf(text) === "GSM-7";
  const characters = [...text];
  const sizes = characters.map((character) => (gsm7 ? septetsOf(character) : character.length));
  const [single, part] = gsm7 ? [160, 153] : [70, 67];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total <= single ? 1 : countParts(sizes, part);
}

function septetsOf(character: string): number {
  return extension.has(character) ? 2 : 1;
}

function countParts(sizes: readonly number[], capacity: number): number {
  let parts = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > capacity) {
      parts++;
      used = 0;
    }
    used += size;
  }
  return parts;
}
