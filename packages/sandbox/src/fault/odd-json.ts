/**
 * Rewrites a payload as unusual but valid JSON of the same value: with extra whitespace, reversed keys, escaped characters
 * and numbers with fraction and exponent. No key is repeated.
 *
 * @param payload - output of `JSON.stringify`.
 */
export function oddJson(payload: string): string {
  return `\r\n\t ${oddValue(JSON.parse(payload))} \n`;
}

function oddValue(value: unknown): string {
  if (typeof value === "string") return oddString(value);
  if (typeof value === "number") return oddNumber(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\t${value.map(oddValue).join(" ,\r\n")} ]`;
  const members = Object.entries(value).reverse();
  return `{\n${members.map(([key, member]) => ` ${oddString(key)}\t:\n  ${oddValue(member)}`).join("\n ,")}\r}`;
}

/** Escapes whole characters only. Half of a surrogate pair can be sent only when both halves are escaped. */
function oddString(text: string): string {
  const characters = Array.from(text, (character, index) => (index % 2 === 0 ? escaped(character) : plain(character)));
  return `"${characters.join("")}"`;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).toUpperCase().padStart(4, "0")}`).join("");
}

function plain(character: string): string {
  return character === "/" ? "\\/" : JSON.stringify(character).slice(1, -1);
}

/** `1` becomes `1.0e+0`. `toExponential` keeps all digits of the number, but loses the sign of -0. */
function oddNumber(number: number): string {
  const [digits = "0", exponent = "+0"] = number.toExponential().split("e");
  const signed = Object.is(number, -0) ? "-0" : digits;
  return `${signed.includes(".") ? signed : `${signed}.0`}e${exponent}`;
}
