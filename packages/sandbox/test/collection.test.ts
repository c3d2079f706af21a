import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCollection, createHistory } from "../src/state/collection.ts";

interface Item {
  readonly id: string;
  readonly owner: string;
  readonly number: number;
}

const ownerOf = ({ owner }: Item) => owner;
const indexedBy = { phoneOf: ({ id }: Item) => (id < "c" ? "+1" : "+2"), summaryOf: summarize };
/** Compresses after every few records, so that most of them are compressed. */
const createSmallHistory = () => createHistory(ownerOf, indexedBy, undefined, { segmentBytes: 60, maxRecent: 2 });

function summarize({ number }: Pick<Item, "number">): { readonly rest: number } {
  return { rest: number % 3 };
}

describe.each([
  { kind: "a collection", createItems: () => createCollection<Item>(ownerOf) },
  { kind: "a history", createItems: createSmallHistory },
])("$kind", ({ createItems }) => {
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
        const removable = "remove" in items ? items : undefined;
        let model: Item[] = [];
        for (const [number, each] of steps.entries()) {
          if ("put" in each) {
            const item = { id: each.put, owner: each.put < "d" ? "one" : "other", number };
            const index = model.findIndex(({ id }) => id === item.id);
            model = index === -1 ? [...model, item] : model.with(index, item);
            items.put(item);
          } else if ("remove" in each) {
            if (!removable) continue;
            model = model.filter(({ id }) => id !== each.remove);
            removable.remove(each.remove);
          } else {
            model = model.filter(({ owner }) => owner !== each.forget);
            items.forget(each.forget);
          }
          for (const owner of ["one", "other"]) {
            const expected = model.filter((item) => item.owner === owner);
            expect(items.list(owner)).toEqual(expected);
            expect([...items.oldestFirst(owner)]).toEqual(expected);
            expect(expected.map(({ id }) => items.get(id))).toEqual(expected);
            expect([...items.newestFirst(owner)]).toEqual(expected.toReversed());
            expect(items.count(owner)).toBe(expected.length);
          }
          if (removable) expect(new Set(removable.all())).toEqual(new Set(model));
        }
      }),
      { seed: 3 },
    );
  });

  test("ends an iteration when the records are forgotten", () => {
    const items = createItems();
    for (let number = 0; number < 10; number++) items.put({ id: `${number}`, owner: "one", number });
    const seen: number[] = [];
    for (const { number } of items.newestFirst("one")) {
      seen.push(number);
      if (number === 8) items.forget("one");
    }
    expect(seen).toEqual([9, 8]);
  });
});

describe("a collection", () => {
  test("continues an iteration while records are removed", () => {
    const items = createCollection<Item>(ownerOf);
    for (let number = 0; number < 10; number++) items.put({ id: `${number}`, owner: "one", number });
    const seen: number[] = [];
    for (const { number } of items.newestFirst("one")) {
      seen.push(number);
      items.remove(String(9 - number));
    }
    expect(seen).toEqual([9, 8, 7, 6, 5]);
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
});

describe("a history", () => {
  test("selects and counts the records that a plain list would, after any puts and forgets", () => {
    const id = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: id }) },
      { weight: 1, arbitrary: fc.constant("forget" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const items = createSmallHistory();
        let newestFirst: Item[] = [];
        for (const [number, each] of steps.entries()) {
          if (each === "forget") {
            newestFirst = [];
            items.forget("one");
          } else {
            const item = { id: each.put, owner: "one", number };
            const index = newestFirst.findIndex(({ id }) => id === item.id);
            newestFirst = index === -1 ? [item, ...newestFirst] : newestFirst.with(index, item);
            items.put(item);
          }
          const about = newestFirst.filter(({ id }) => id < "c");
          expect([...items.aboutPhone("one", "+1")]).toEqual(about);
          for (const [index, { id }] of newestFirst.entries()) {
            const later = newestFirst.slice(0, index).filter(({ id }) => id < "c");
            expect([...items.aboutPhone("one", "+1", id)]).toEqual(later);
          }
          for (const rest of [0, 1, 2]) {
            const expected = newestFirst.filter(({ number }) => number % 3 === rest);
            expect([...items.matching("one", (summary) => summary.rest === rest)]).toEqual(expected);
            const tally = items.tallies("one").find(({ summary }) => summary.rest === rest);
            expect(tally?.count ?? 0).toBe(expected.length);
          }
        }
      }),
      { seed: 5 },
    );
  });

  test("finds the records of a phone number without reading those of others", () => {
    const items = createSmallHistory();
    items.put({ id: "a", owner: "one", number: 0 });
    for (let number = 1; number < 1_000; number++) items.put({ id: `c${number}`, owner: "one", number });
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    expect([...items.aboutPhone("one", "+1")].map(({ id }) => id)).toEqual(["a"]);
    expect([...items.matching("one", ({ rest }) => rest === 7)]).toEqual([]);
    expect(items.tallies("one").map(({ count }) => count)).toEqual([334, 333, 333]);
    expect(parse).toHaveBeenCalledTimes(1);
  });

  test("distinguishes ids and phone numbers that have the same hash", () => {
    // The usual example of a collision of FNV-1a.
    const [first, second] = ["costarring", "liquid"];
    const items = createHistory(ownerOf, { ...indexedBy, phoneOf: ({ id }: Item) => id });
    items.put({ id: first, owner: "one", number: 1 });
    expect(items.get(second)).toBeUndefined();
    expect([...items.aboutPhone("one", second)]).toEqual([]);
    items.put({ id: second, owner: "one", number: 2 });
    expect([items.get(first)?.number, items.get(second)?.number]).toEqual([1, 2]);
    expect([...items.aboutPhone("one", first)].map(({ id }) => id)).toEqual([first]);
  });
});
