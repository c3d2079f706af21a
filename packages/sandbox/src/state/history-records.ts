import type { OrderedRecords } from "./ordered-records.ts";
import type { LogSizes } from "./record-log.ts";
import { createRecordTable, type IndexedBy, type RecordTable } from "./record-table.ts";
import type { Tally } from "./record-tallies.ts";

/** Selections of records that read no others. */
export interface IndexedRecords<Item, Summary> {
  /**
   * Iterates over the records of an owner that are about a phone number, the newest first.
   *
   * @param afterId - id of a record. Only records that were added later are included.
   */
  aboutPhone(ownerId: string, phone: string, afterId?: string): Iterable<Item>;
  /** Iterates over the records of an owner whose summary matches, the newest first. */
  matching(ownerId: string, matches: (summary: Summary) => boolean): Iterable<Item>;
  /** Lists the summaries of an owner's records, each with the number of records that have it. */
  tallies(ownerId: string): readonly Tally<Summary>[];
}

/** Creates an empty set of records that can become many, and are only removed together. */
export function createHistoryRecords<Item extends { readonly id: string }, Summary>(
  ownerOf: (item: Item) => string,
  indexedBy: IndexedBy<Item, Summary>,
  sizes?: LogSizes,
): OrderedRecords<Item> & IndexedRecords<Item, Summary> {
  const tables = new Map<string, RecordTable<Item, Summary>>();
  const addTable = (ownerId: string) => {
    const table = createRecordTable(indexedBy, sizes);
    tables.set(ownerId, table);
    return table;
  };
  /** Reads records as long as they are not removed. */
  const read = function* (ownerId: string, selected: (count: number) => Iterable<number>): Iterable<Item> {
    const table = tables.get(ownerId);
    for (const record of table ? selected(table.count()) : []) {
      const item = tables.get(ownerId) === table ? table?.read(record) : undefined;
      if (item) yield item;
    }
  };

  return {
    get(id) {
      for (const table of tables.values()) {
        const record = table.find(id);
        if (record !== undefined) return table.read(record);
      }
      return undefined;
    },
    set: (item) => (tables.get(ownerOf(item)) ?? addTable(ownerOf(item))).set(item),
    list: (ownerId) => [...read(ownerId, upTo)],
    oldestFirst: (ownerId) => read(ownerId, upTo),
    newestFirst: (ownerId) => read(ownerId, downFrom),
    aboutPhone(ownerId, phone, afterId = "") {
      const after = tables.get(ownerId)?.find(afterId) ?? -1;
      return read(ownerId, () => tables.get(ownerId)?.aboutPhone(phone, after) ?? []);
    },
    matching(ownerId, matches) {
      const isMatch = tables.get(ownerId)?.matcher(matches);
      return read(ownerId, (count) => filter(downFrom(count), isMatch));
    },
    tallies: (ownerId) => tables.get(ownerId)?.tallies() ?? [],
    count: (ownerId) => tables.get(ownerId)?.count() ?? 0,
    deleteAll: (ownerId) => void tables.delete(ownerId),
  };
}

function* upTo(count: number): Iterable<number> {
  for (let record = 0; record < count; record++) yield record;
}

function* downFrom(count: number): Iterable<number> {
  for (let record = count - 1; record >= 0; record--) yield record;
}

function* filter(records: Iterable<number>, isMatch: (record: number) => boolean = () => false): Iterable<number> {
  for (const record of records) if (isMatch(record)) yield record;
}
