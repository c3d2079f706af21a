import type { Slot, Tally } from "./record-slot.ts";

/** How the records of a kind are indexed. */
export interface IndexedBy<Item, Summary> {
  /** Returns the phone number that the record is about. It never changes. */
  phoneOf(item: Item): string;
  /** Returns what selections and counts need of a record. Many records must have the same summary. */
  summaryOf(item: Item): Summary;
}

/** Finds and counts the records of one owner without reading them. */
export interface RecordIndex<Item, Summary> {
  /** Adds a new record. */
  add(slot: Slot<Item>, item: Item): void;
  /** Follows a record that is replaced. */
  change(slot: Slot<Item>, item: Item): void;
  /** Stops counting a record. */
  remove(slot: Slot<Item>): void;
  /** Iterates over the slots of a phone number with a higher sequence, the newest first. Some may be empty. */
  slotsOf(phone: string, afterSequence: number): Iterable<Slot<Item>>;
  /** Lists the summaries and their numbers of records. */
  tallies(): readonly Tally<Summary>[];
}

/** Creates an empty index. */
export function createRecordIndex<Item, Summary>({
  phoneOf,
  summaryOf,
}: IndexedBy<Item, Summary>): RecordIndex<Item, Summary> {
  const newest = new Map<string, Slot<Item>>();
  const tallies = new Map<string, Tally<Summary>>();
  const count = (slot: Slot<Item>, item: Item) => {
    const summary = summaryOf(item);
    const key = JSON.stringify(summary);
    const tally = tallies.get(key) ?? { summary, count: 0 };
    tallies.set(key, tally);
    tally.count++;
    slot.tally = tally;
  };
  const uncount = ({ tally }: Slot<Item>) => {
    if (tally) tally.count--;
  };

  return {
    add(slot, item) {
      const phone = phoneOf(item);
      slot.older = newest.get(phone);
      newest.set(phone, slot);
      count(slot, item);
    },
    change(slot, item) {
      uncount(slot);
      count(slot, item);
    },
    remove: uncount,
    *slotsOf(phone, afterSequence) {
      for (let slot = newest.get(phone); slot && slot.sequence > afterSequence; slot = slot.older) yield slot;
    },
    tallies: () => [...tallies.values()].filter(({ count }) => count > 0),
  };
}
