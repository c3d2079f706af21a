import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCollection } from "../src/state/collection.ts";

interface Item {
  readonly id: string;
  readonly owner: string;
  readonly number: number;
}

const createItems = () => createCollection<Item>(({ owner }) => owner);

describe("a collection", () => {
  test("holds the same records in the same order as a plain list, after any puts, removals and forgets", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ put: id }) },
      { weight: 3, arbitrary: fc.record({ remove: id }) },
      { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom("one", "other") }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const items = createItems();
        let model: Item[] = [];
        for (const [number, each] of steps.entries()) {
          if ("put" in each) {
            const item = { id: each.put, owner: each.put < "d" ? "one" : "other", number };
            const index = model.findIndex(({ id }) => id === item.id);
            model = index === -1 ? [...model, item] : model.with(index, item);
            items.put(item);
          } else if ("remove" in each) {
            model = model.filter(({ id }) => id !== each.remove);
            items.remove(each.remove);
          } else {
            model = model.filter(({ owner }) => owner !== each.forget);
            items.forget(each.forget);
          }
          for (const owner of ["one", "other"]) {
            const expected = model.filter((item) => item.owner === owner);
            expect(items.list(owner)).toEqual(expected);
            expect([...items.newestFirst(owner)]).toEqual(expected.toReversed());
            expect(items.count(owner)).toBe(expected.length);
          }
          expect(new Set(items.all())).toEqual(new Set(model));
        }
      }),
      { seed: 3 },
    );
  });

  test("reports each change once to its journal and its watchers, and which records are new", () => {
    const calls: string[] = [];
    const items = createCollection<Item>(({ owner }) => owner, {
      write: ({ id }) => calls.push(`write ${id}`),
      erase: (id) => calls.push(`erase ${id}`),
    });
    const end = items.watch(({ id }, change) => calls.push(`${change} ${id}`));
    items.put({ id: "a", owner: "one", number: 1 });
    items.change("a", (item) => ({ ...item, number: 2 }));
    items.remove("a");
    items.remove("a");
    items.put({ id: "a", owner: "one", number: 3 });
    end();
    items.put({ id: "b", owner: "one", number: 1 });
    items.forget("one");
    items.forget("one");
    expect(calls).toEqual([
      ...["write a", "added a", "write a", "changed a", "erase a", "removed a", "write a", "added a"],
      ...["write b", "erase a", "erase b"],
    ]);
  });

  test("continues an iteration while records are removed", () => {
    const items = createItems();
    for (let number = 0; number < 10; number++) items.put({ id: `${number}`, owner: "one", number });
    const seen: number[] = [];
    for (const { number } of items.newestFirst("one")) {
      seen.push(number);
      items.remove(String(9 - number));
    }
    expect(seen).toEqual([9, 8, 7, 6, 5]);
  });
});
