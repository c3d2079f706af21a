import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyedQueue } from "../../src/webhooks/keyed-queue.ts";

describe("createKeyedQueue", () => {
  test("lets one entrant at a time through for each key, in the order of entering, even if one leaves twice", async () => {
    const entrants = fc.array(fc.record({ key: fc.constantFrom("a", "b"), waits: fc.nat(3) }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(entrants, async (list) => {
        const turns = createKeyedQueue();
        const inside = new Set<string>();
        const order: number[] = [];
        const visit = async (index: number, key: string, waits: number) => {
          const place = turns.enter(key);
          await place.turn;
          expect(inside.has(key)).toBe(false);
          inside.add(key);
          order.push(index);
          for (let step = 0; step < waits; step++) await Promise.resolve();
          inside.delete(key);
          place.leave();
          place.leave();
        };
        await Promise.all(list.map(({ key, waits }, index) => visit(index, key, waits)));
        for (const key of ["a", "b"]) {
          const ofKey = order.filter((index) => list[index]?.key === key);
          expect(ofKey).toEqual([...ofKey].sort((left, right) => left - right));
        }
      }),
    );
  });

  test("does not make the first entrant wait", () => {
    expect(createKeyedQueue().enter("a").turn).toBeUndefined();
  });

  test("makes nobody wait for those who have left, and counts the places that are taken", () => {
    const turns = createKeyedQueue();
    const [first, second, other] = [turns.enter("a"), turns.enter("a"), turns.enter("b")];
    second.leave();
    second.leave();
    const whileFirstIsIn = turns.size("a");
    first.leave();
    expect([whileFirstIsIn, turns.size("a"), turns.size("b")]).toEqual([1, 0, 1]);
    expect([turns.enter("a").turn, other.turn]).toEqual([undefined, undefined]);
  });

  test("keeps the order when one entrant leaves while two others wait", async () => {
    const turns = createKeyedQueue();
    const [first, second] = [turns.enter("a"), turns.enter("a")];
    first.leave();
    await second.turn;
    const third = turns.enter("a");
    let through = false;
    const passed = third.turn?.then(() => {
      through = true;
    });
    await new Promise(setImmediate);
    expect(through).toBe(false);
    second.leave();
    await passed;
    expect(through).toBe(true);
  });
});
