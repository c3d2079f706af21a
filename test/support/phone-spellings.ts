/** Spellings of +4915123456789, as people, programs and careless services write it. */
export const spellings: readonly string[] = [
  "+4915123456789",
  "4915123456789",
  "004915123456789",
  "015123456789",
  "15123456789",
  "+49 151 234 567 89",
  "+49-151-2345-6789",
  "(0151) 234.567/89",
  "tel:+49-151-23456789",
  "+49 (0) 151 / 23 45 67 89",
  "＋４９１５１２３４５６７８９",
  "+٤٩١٥١٢٣٤٥٦٧٨٩",
  "%2B4915123456789",
  "%2B49%20151%2023456789",
  "%34%39%31%35%31%32%33%34%35%36%37%38%39",
];

const numerals = /[０-９٠-٩]/g;

/** Tells whether a text has five digits of +4915123456789 in a row, in any script, percent-encoded or with other characters between. */
export function holdsPhone(text: string): boolean {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const digits = decoded
    .replace(numerals, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/[^\p{L}\p{N}\n]/gu, "");
  return ["49151", "91512", "15123", "51234", "12345", "23456", "34567", "45678", "56789"].some((part) =>
    digits.includes(part),
  );
}
