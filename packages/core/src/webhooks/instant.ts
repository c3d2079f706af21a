const maxText = 64;
/** No year begins with two zeros: `Date.UTC` takes 70 for 1970. */
const isoForm =
  /^(?!00)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:[.,]\d+)?)?(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;
const zero = "0".charCodeAt(0);
const nine = "9".charCodeAt(0);
const epochForm = /^(\d{1,14})(?:\.(\d+))?$/;

/** A number from here on means milliseconds: as seconds it would be the year 5138, as milliseconds it is 1973. */
const firstMilliseconds = 1e11;

/**
 * Returns the rank of an instant: text that sorts bytewise by time. All spellings of an instant have the same rank, and
 * every digit of a fraction counts. The rank is empty if the instant cannot be read or is before 1970.
 *
 * The specification does not define the format. Accepted are ISO 8601 with any offset (UTC if there is none), and Unix
 * seconds or milliseconds as a number or text. A JSON number keeps only about sixteen digits.
 *
 * @see "Delivery guarantees", 3, of the specification
 */
export function rankInstant(instant: unknown): string {
  if (typeof instant !== "string" && typeof instant !== "number") return "";
  const text = String(instant);
  if (text.length > maxText) return "";
  return rankIso(text) ?? rankEpoch(text) ?? "";
}

/** The parts are read at their places: groups of the form would cost a webhook as much as its place in the queue. */
function rankIso(text: string): string | undefined {
  if (!isoForm.test(text)) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const minute = Date.UTC(year, month - 1, day, twoDigits(text, 11), twoDigits(text, 14));
  // 30 February would be a day of March.
  if (day > 28 && minute >= Date.UTC(year, month)) return undefined;
  const hasSeconds = text[16] === ":";
  const mainEnd = hasSeconds ? 19 : 16;
  const hasFraction = text[mainEnd] === "." || text[mainEnd] === ",";
  const zoneStart = hasFraction ? endOfDigits(text, mainEnd + 1) : mainEnd;
  const seconds = minute / 1000 + (hasSeconds ? twoDigits(text, 17) : 0) - offsetSeconds(text, zoneStart);
  return rank(seconds, hasFraction ? text.slice(mainEnd + 1, zoneStart) : "");
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (text.charCodeAt(end) >= zero && text.charCodeAt(end) <= nine) end++;
  return end;
}

/** Reads an offset such as `+02:00`, `-0330` or `+01`. There is none in UTC. */
function offsetSeconds(text: string, start: number): number {
  if (text.length < start + 3) return 0;
  const minutes = text.length > start + 3 ? twoDigits(text, text.length - 2) : 0;
  return (twoDigits(text, start + 1) * 60 + minutes) * (text[start] === "-" ? -60 : 60);
}

/** Reads the two digits at a place of a text. */
function twoDigits(text: string, index: number): number {
  return (text.charCodeAt(index) - zero) * 10 + text.charCodeAt(index + 1) - zero;
}

function rankEpoch(text: string): string | undefined {
  const [, digits, fraction = ""] = epochForm.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const count = Number(digits);
  if (count < firstMilliseconds) return rank(count, fraction);
  return rank(Math.floor(count / 1000), String(count % 1000).padStart(3, "0") + fraction);
}

function rank(seconds: number, fraction: string): string | undefined {
  if (seconds < 0) return undefined;
  const digits = fraction.endsWith("0") ? fraction.replace(/0+$/, "") : fraction;
  return `${String(seconds).padStart(12, "0")}.${digits}`;
}

/** Returns the instant of a rank as Unix milliseconds, rounded down. */
export function millisecondsOf(rank: string): number {
  const [seconds = "", fraction = ""] = rank.split(".");
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}
