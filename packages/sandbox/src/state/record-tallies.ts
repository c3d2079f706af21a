import { createNumberColumn } from "./number-column.ts";

/** A summary and the number of records that have it. */
export interface Tally<Summary> {
  /** The summary. */
  readonly summary: Summary;
  /** The number of records. */
  readonly count: number;
}

/** Counts records by their summary. */
export interface RecordTallies<Summary> {
  /** Counts a record with this summary, in place of the one that it had. */
  set(record: number, summary: Summary): void;
  /** Lists the summaries and their numbers of records. */
  list(): readonly Tally<Summary>[];
  /** Returns a function that tells whether the present summary of a record matches. */
  matcher(matches: (summary: Summary) => boolean): (record: number) => boolean;
}

/** Creates empty tallies. Many records must have the same summary. */
export function createRecordTallies<Summary>(): RecordTallies<Summary> {
  const places = new Map<string, number>();
  const tallies: { readonly summary: Summary; count: number }[] = [];
  /** The place of a record's tally plus 1; 0 before it has one. */
  const placeOf = createNumberColumn();
  const addTally = (key: string, summary: Summary) => {
    places.set(key, tallies.push({ summary, count: 0 }));
    return tallies.length;
  };
  const count = (place: number, change: 1 | -1) => {
    const tally = tallies[place - 1];
    if (tally) tally.count += change;
  };

  return {
    set(record, summary) {
      const key = JSON.stringify(summary);
      const place = places.get(key) ?? addTally(key, summary);
      count(placeOf.get(record), -1);
      count(place, 1);
      placeOf.set(record, place);
    },
    list: () => tallies.filter(({ count }) => count > 0),
    matcher(matches) {
      const matched = tallies.map(({ summary }) => matches(summary));
      return (record) => matched[placeOf.get(record) - 1] ?? false;
    },
  };
}
