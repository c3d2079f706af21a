import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { RecordMemory } from "./record-memory.ts";
import type { PackedBlock, Slot } from "./record-slot.ts";

/** The sizes of a packed memory. */
export interface PackedMemorySizes {
  /** Records that stay objects: those that were written last. Default 4,096. */
  readonly maxObjects?: number;
  /** Records of one block. Reading one of them reads the block. Default 128. */
  readonly blockRecords?: number;
}

/**
 * Creates a memory that packs older records: a record of a message takes 60 bytes there, and 1,000 as an object.
 *
 * A packed record is the JSON of the item, as in a data file: undefined members are omitted. It costs about 2 µs to pack and to
 * read a record. A record that is written again becomes an object again, and is packed after those that were written before it.
 */
export function createPackedMemory<Item>({
  maxObjects = 4_096,
  blockRecords = 128,
}: PackedMemorySizes = {}): RecordMemory<Item> {
  /** The slots with an item, and some that were discarded meanwhile. The one that became an object first comes first. */
  const objects: Slot<Item>[] = [];
  /** Blocks of which most is no longer needed. */
  const sparse = new Set<PackedBlock<Item>>();
  const readBlock = createBlockReader<Item>();

  const leave = (slot: Slot<Item>) => {
    const { block } = slot;
    if (!block) return;
    slot.block = undefined;
    block.live--;
    if (block.live === 0) sparse.delete(block);
    else if (block.live <= blockRecords / 2) sparse.add(block);
  };
  const becomeObject = (slot: Slot<Item>, item: Item | undefined) => {
    leave(slot);
    slot.item = item;
    objects.push(slot);
  };
  /** Otherwise a block with one live record would be kept as a whole. */
  const unpackSparse = () => {
    for (const block of sparse) {
      const items = readBlock(block);
      for (const slot of block.slots) if (slot.block === block) becomeObject(slot, items[slot.position]);
    }
  };

  return {
    hold(slot, item) {
      if (slot.item !== undefined) slot.item = item;
      else becomeObject(slot, item);
      if (objects.length < maxObjects + blockRecords) return;
      unpackSparse();
      while (objects.length > maxObjects) pack(objects.splice(0, blockRecords));
    },
    read: (slot) => slot.item ?? (slot.block && readBlock(slot.block)[slot.position]),
    discard(slot) {
      leave(slot);
      slot.item = undefined;
    },
  };
}

function pack<Item>(candidates: readonly Slot<Item>[]): void {
  const slots = candidates.filter(({ item }) => item !== undefined);
  if (slots.length === 0) return;
  const json = JSON.stringify(slots.map(({ item }) => item));
  // The result is a part of a larger buffer, which it would keep. Higher levels take three times as long and save a tenth.
  const bytes = new Uint8Array(deflateRawSync(json, { level: 1 }));
  const block = { bytes, slots, live: slots.length };
  for (const [position, slot] of slots.entries()) Object.assign(slot, { item: undefined, block, position });
}

/** Remembers the last block, because records are mostly read in their order. */
function createBlockReader<Item>(): (block: PackedBlock<Item>) => readonly Item[] {
  let last: { readonly block: PackedBlock<Item>; readonly items: readonly Item[] } | undefined;
  return (block) => {
    if (last?.block !== block) last = { block, items: JSON.parse(inflateRawSync(block.bytes).toString()) };
    return last.items;
  };
}
