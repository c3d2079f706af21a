import type { Dialect } from "../state/dialect.ts";

/** An offset that is large enough to reveal a reader that ignores offsets. */
const offset = { text: "+02:00", milliseconds: 7_200_000 };

/**
 * Formats an instant of a record for the API, in the format of the dialect.
 *
 * @param at - ISO 8601 with milliseconds.
 * @see "Delivery guarantees" of the specification
 */
export function formatInstant({ instants }: Dialect, at: string): string | number {
  const milliseconds = Date.parse(at);
  switch (instants) {
    case "iso_milliseconds":
      return at;
    case "iso_seconds":
      return at.replace(/\.\d+Z$/, "Z");
    case "iso_microseconds":
      return at.replace(/Z$/, "042Z");
    case "iso_offset":
      return new Date(milliseconds + offset.milliseconds).toISOString().replace("Z", offset.text);
    case "epoch_seconds":
      return Math.floor(milliseconds / 1000);
    case "epoch_milliseconds":
      return milliseconds;
  }
}
