/** The place of a record among those of its owner. It has neither an item nor a block after the record was removed. */
export interface Slot<Item> {
  /** The id of the record. */
  readonly id: string;
  /** The number of the record, in the order in which they were added. */
  readonly sequence: number;
  /** The record; undefined while it is packed. */
  item: Item | undefined;
  /** The block that the record is packed in. */
  block: PackedBlock<Item> | undefined;
  /** The position in the block. */
  position: number;
  /** The summary of the record, if its kind is indexed. */
  tally: Tally | undefined;
  /** The previous record about the same phone number, if its kind is indexed. */
  older: Slot<Item> | undefined;
}

/** Records that are packed together. */
export interface PackedBlock<Item> {
  /** The items as a JSON array, compressed. */
  readonly bytes: Uint8Array;
  /** The slots by position. A slot that was written or removed since then no longer names this block. */
  readonly slots: readonly Slot<Item>[];
  /** Number of slots that name this block. */
  live: number;
}

/** A summary and the number of records that have it. */
export interface Tally<Summary = unknown> {
  /** The summary. */
  readonly summary: Summary;
  /** The number of records. */
  count: number;
}

/** Creates an empty slot. */
export function createSlot<Item>(id: string, sequence: number): Slot<Item> {
  return { id, sequence, item: undefined, block: undefined, position: 0, tally: undefined, older: undefined };
}
