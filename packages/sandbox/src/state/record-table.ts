import { createHashIndex } from "./hash-index.ts";
import { createRecentItems } from "./recent-items.ts";
import { createRecordLog, type LogSizes } from "./record-log.ts";
import { createRecordTallies, type Tally } from "./record-tallies.ts";

/** How the records of a kind are indexed. */
export interface IndexedBy<Item, Summary> {
  /** Returns the phone number that the record is about. It never changes. */
  phoneOf(item: Item): string;
  /** Returns what selections and counts need of a record. Many records must have the same summary. */
  summaryOf(item: Item): Summary;
}

/** The records of one kind and owner. A record's number is the number of records that were added before. */
export interface RecordTable<Item, Summary> {
  /** Returns the number of records. */
  count(): number;
  /** Adds the record, or replaces the one with its id. Returns true for a new record. */
  set(item: Item): boolean;
  /** Returns the number of the record with this id; undefined when there is none. */
  find(id: string): number | undefined;
  /** Returns a record; undefined when there is none with this number. */
  read(record: number): Item | undefined;
  /** Iterates over the records about a phone number that were added after another one, the newest first. */
  aboutPhone(phone: string, after: number): Iterable<number>;
  /** Returns a function that tells whether the summary of a record matches, without reading it. */
  matcher(matches: (summary: Summary) => boolean): (record: number) => boolean;
  /** Lists the summaries and their numbers of records. */
  tallies(): readonly Tally<Summary>[];
}

/**
 * Creates an empty table. A record of a message takes about 110 bytes there, of which none is an object. It is kept as JSON, as in a data
 * file: undefined members are omitted.
 */
export function createRecordTable<Item extends { readonly id: string }, Summary>(
  { phoneOf, summaryOf }: IndexedBy<Item, Summary>,
  sizes?: LogSizes,
): RecordTable<Item, Summary> {
  const [ids, phones] = [createHashIndex(), createHashIndex()];
  const tallies = createRecordTallies<Summary>();
  const log = createRecordLog(sizes);
  const recent = createRecentItems<Item>();
  let count = 0;
  const read = (record: number): Item | undefined => {
    const known = recent.get(record);
    if (known) return known;
    const text = log.read(record);
    if (text === undefined) return undefined;
    const item: Item = JSON.parse(text);
    recent.set(record, item);
    return item;
  };
  const find = (id: string) => {
    for (const record of ids.newestFirst(id)) if (read(record)?.id === id) return record;
    return undefined;
  };
  const add = (item: Item) => {
    ids.add(item.id);
    phones.add(phoneOf(item));
    return count++;
  };

  return {
    count: () => count,
    set(item) {
      const known = find(item.id);
      const record = known ?? add(item);
      tallies.set(record, summaryOf(item));
      recent.set(record, item);
      log.write(record, JSON.stringify(item));
      return known === undefined;
    },
    find,
    read,
    *aboutPhone(phone, after) {
      for (const record of phones.newestFirst(phone)) {
        if (record <= after) return;
        const item = read(record);
        if (item && phoneOf(item) === phone) yield record;
      }
    },
    matcher: tallies.matcher,
    tallies: tallies.list,
  };
}
