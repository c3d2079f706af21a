const maxCharacters = 64;
const isoForm =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<minute>\d\d:\d\d)(?::(?<seconds>[0-5]\d|60)(?:[.,](?<fraction>\d+))?)?(?<zone>[Zz]|[+-].+)?$/;
const offsetForm = /^(?<sign>[+-])(?<hours>[01]\d|2[0-3])(?::?(?<minutes>[0-5]\d))?$/;
const epochForm = /^(?<count>\d{1,14})(?:\.(?<fraction>\d+))?$/;

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
  if (text.length > maxCharacters) return "";
  return rankIso(text) ?? rankEpoch(text) ?? "";
}

/** Returns the instant of a rank as Unix milliseconds, rounded down. */
export function millisecondsOf(rank: string): number {
  const [seconds = "", fraction = ""] = rank.split(".");
  return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
}

function rankIso(text: string): string | undefined {
  const parts = isoForm.exec(text)?.groups;
  if (!parts) return undefined;
  const { date, minute, seconds = "0", fraction = "", zone } = parts;
  const beginning = `${date}T${minute}`;
  const milliseconds = Date.parse(`${beginning}Z`);
  const offset = offsetSeconds(zone);
  if (Number.isNaN(milliseconds) || offset === undefined) return undefined;
  // `Date` takes 30 February for a day of March, and 24:00 for the next day.
  if (!new Date(milliseconds).toISOString().startsWith(beginning)) return undefined;
  return rank(milliseconds / 1000 + Number(seconds) - offset, fraction);
}

/** Reads an offset such as `+02:00`, `-0330` or `+01`. There is none in UTC. */
function offsetSeconds(zone = "Z"): number | undefined {
  if (zone.toUpperCase() === "Z") return 0;
  const parts = offsetForm.exec(zone)?.groups;
  if (!parts) return undefined;
  const { sign, hours, minutes = "0" } = parts;
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === "-" ? -seconds : seconds;
}

function rankEpoch(text: string): string | undefined {
  const parts = epochForm.exec(text)?.groups;
  if (!parts) return undefined;
  const { fraction = "" } = parts;
  const count = Number(parts.count);
  if (count < firstMilliseconds) return rank(count, fraction);
  return rank(Math.floor(count / 1000), String(count % 1000).padStart(3, "0") + fraction);
}

function rank(seconds: number, fraction: string): string | undefined {
  if (seconds < 0) return undefined;
  return `${String(seconds).padStart(12, "0")}.${fraction.replace(/0+$/, "")}`;
}
