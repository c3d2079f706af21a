import fc from "fast-check";

/** The first digit of each script in which digits are accepted. */
const zeros = ["0", "٠", "۰", "０"].map((zero) => zero.charCodeAt(0));

/** Characters that are accepted between digits, and that a person often does not see. */
export const separator: fc.Arbitrary<string> = fc.constantFrom(
  ...[" ", "\t", "\u00a0", "\u202f", "\u2009", "\u3000"],
  ...["-", "\u2010", "\u2011", "\u2012", "–", "—", "\u2015", "\u2212", "－"],
  ...["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"],
  ...["\u200e", "\u200f", "\u061c", "\u202a", "\u202c", "\u2066", "\u2069"],
);

/** Writes a text as people and programs do: its digits in one script, with separators between its characters. */
export function disguised(texts: fc.Arbitrary<string>, separators: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const places = fc.array(fc.tuple(fc.nat(40), separators), { maxLength: 8 });
  return fc.tuple(texts, fc.constantFrom(...zeros), places).map(([text, zero, added]) => {
    const characters = Array.from(text, (character) =>
      /[0-9]/.test(character) ? String.fromCharCode(zero + Number(character)) : character,
    );
    for (const [at, other] of added) characters.splice(at % (characters.length + 1), 0, other);
    return characters.join("");
  });
}
