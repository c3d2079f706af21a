import type { Dialect } from "./dialect.ts";

/** Two hours east: as far from UTC as it takes to notice a reader that ignores offsets. */
const offset = { text: "+02:00", milliseconds: 7_200_000 };

/** Writes an instant of a record as the dialect has it on the wire. @see "Delivery guarantees" of the specification */
export function wireInstant({ instants }: Dialect, at: string): string | number {
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
