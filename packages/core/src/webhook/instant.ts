const maxText = 64;
const isoForm =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d+))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/;
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

function rankIso(text: string): string | undefined {
  const found = isoForm.exec(text);
  if (!found) return undefined;
  const [, date = "", hours, minutes, seconds = 0, fraction = "", sign = "+", offsetHours = 0, offsetMinutes = 0] =
    found;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Some engines turn 30 February into March. Only a date that exists is printed as it was written.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, date.length) !== date) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60 * (sign === "-" ? -1 : 1);
  const secondOfDay = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return rank(midnight / 1000 + secondOfDay - offset, fraction);
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
  return `${String(seconds).padStart(12, "0")}.${fraction.replace(/0+$/, "")}`;
}

/** Returns the instant of a rank as Unix milliseconds, rounded down. */
export function millisecondsOf(rank: string): number {
  const [seconds = "", fraction = ""] = rank.split(".");
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}
