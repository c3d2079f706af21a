import type { Slot } from "./record-slot.ts";

/** The form in which records are kept. */
export interface RecordMemory<Item> {
  /** Keeps an item in a slot, in place of the one that it had. */
  hold(slot: Slot<Item>, item: Item): void;
  /** Returns the item of a slot; undefined after `discard`. */
  read(slot: Slot<Item>): Item | undefined;
  /** Gives up the item of a slot. */
  discard(slot: Slot<Item>): void;
}

/** Creates a memory that keeps records as the objects that they are. */
export function createPlainMemory<Item>(): RecordMemory<Item> {
  return {
    hold(slot, item) {
      slot.item = item;
    },
    read: ({ item }) => item,
    discard(slot) {
      slot.item = undefined;
    },
  };
}
