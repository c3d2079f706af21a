import { describe, expect, test } from "vitest";
import { createPackedMemory } from "../src/state/packed-memory.ts";
import { createSlot, type Slot } from "../src/state/record-slot.ts";

interface Item {
  readonly number: number;
  readonly text: string;
}

const sizes = { maxObjects: 40, blockRecords: 10 };

function fill(count: number) {
  const memory = createPackedMemory<Item>(sizes);
  const slots = Array.from({ length: count }, (_, index) => createSlot<Item>(`${index}`, index));
  const write = (slot: Slot<Item>, number: number) => memory.hold(slot, { number, text: "é\ud83d\ude00\ud83d" });
  for (const slot of slots) write(slot, slot.sequence);
  return { memory, slots, write };
}

const objectsIn = (slots: readonly Slot<Item>[]) => slots.filter(({ item }) => item !== undefined);
const blocksOf = (slots: readonly Slot<Item>[]) => new Set(slots.flatMap(({ block }) => block ?? []));

describe("a packed memory", () => {
  test("keeps the records that were written last as objects, and packs all others", () => {
    const { memory, slots } = fill(1_000);
    const objects = objectsIn(slots);
    expect(objects.length).toBeLessThanOrEqual(sizes.maxObjects + sizes.blockRecords);
    expect(objects).toEqual(slots.slice(-objects.length));
    expect(slots.map((slot) => memory.read(slot)?.number)).toEqual(slots.map(({ sequence }) => sequence));
    // A lone surrogate, which no encoding of bytes has, is read as it was written.
    expect(memory.read(slots[0] ?? expect.fail())?.text).toBe("é\ud83d\ude00\ud83d");
  });

  test("reads a record as it was written last, however often it was packed", () => {
    const { memory, slots, write } = fill(300);
    for (let round = 1; round <= 5; round++) for (const slot of slots) write(slot, round * 1_000 + slot.sequence);
    expect(slots.map((slot) => memory.read(slot)?.number)).toEqual(slots.map(({ sequence }) => 5_000 + sequence));
    expect(blocksOf(slots).size).toBeLessThanOrEqual(300 / sizes.blockRecords);
  });

  test.each(["written", "removed"])("packs the rest of a block again when most of it was %s", (change) => {
    const { memory, slots, write } = fill(1_000);
    const kept = slots.filter(({ sequence }) => sequence % 10 === 0);
    const others = slots.filter((slot) => !kept.includes(slot));
    const before = [...blocksOf(kept)];
    for (const slot of others) if (change === "written") write(slot, 0);
    for (const slot of others) if (change === "removed") memory.discard(slot);
    for (let index = 0; index < 100; index++) write(createSlot("later", 1_000 + index), index);
    const after = blocksOf(slots);
    expect(before.length).toBeGreaterThan(90);
    expect(before.filter((block) => after.has(block)).length).toBeLessThan(10);
    expect(kept.map((slot) => memory.read(slot)?.number)).toEqual(kept.map(({ sequence }) => sequence));
  });

  test("keeps nothing of a record that was removed", () => {
    const { memory, slots } = fill(100);
    for (const slot of slots) memory.discard(slot);
    expect(slots.map((slot) => memory.read(slot))).toEqual(slots.map(() => undefined));
    expect([objectsIn(slots).length, blocksOf(slots).size]).toEqual([0, 0]);
  });
});
