import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, expiryOfPacked, packEntry, unpackEntry } from "../../src/store/memory-entry.ts";

const instant = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 42 + 10 }),
  fc.constantFrom(2 ** 42 - 1, 2 ** 42, 0.5, -1, 1_795_415_192_741),
);
const count = fc.oneof(fc.nat(), fc.constantFrom(2047, 2048, Number.MAX_SAFE_INTEGER));

test("an entry of the memory store is the same after it was packed, whatever its count, instant and lease", () => {
  const entry = fc.record({
    value: fc.option(fc.string(), { nil: undefined }),
    count,
    expiresAt: instant,
    holder: fc.option(fc.string(), { nil: undefined }),
    leasedUntil: fc.nat(),
  });
  fc.assert(
    fc.property(entry, (given) => {
      // Without a holder the end of the lease says nothing.
      const expected: Entry = given.holder === undefined ? { ...given, leasedUntil: 0 } : given;
      const packed = packEntry(given);
      const unpacked = unpackEntry(packed);
      expect(unpacked.holder === undefined ? { ...unpacked, leasedUntil: 0 } : unpacked).toEqual(expected);
      expect(expiryOfPacked(packed)).toBe(given.expiresAt);
    }),
  );
});

const edgesOfCounts = [0, 1, 2046, 2047, 2048, 2049];
const edgesOfInstants = [-1, 0, 0.5, 2 ** 42 - 1, 2 ** 42, 2 ** 42 + 1];

test.each(edgesOfCounts.flatMap((count) => edgesOfInstants.map((expiresAt) => ({ count, expiresAt }))))(
  "a counter at $count that ends at $expiresAt is the same after it was packed, as a number if both fit",
  ({ count, expiresAt }) => {
    const counter: Entry = { value: undefined, count, expiresAt, holder: undefined, leasedUntil: 0 };
    const packed = packEntry(counter);
    expect([unpackEntry(packed), expiryOfPacked(packed)]).toEqual([counter, expiresAt]);
    const fits = count <= 2047 && (expiresAt === 0 || expiresAt === 2 ** 42 - 1);
    expect(typeof packed).toBe(fits ? "number" : "object");
  },
);

test("a counter is packed as a number, and a value without what only a lease needs", () => {
  const counter = { value: undefined, count: 5, expiresAt: 1_795_415_192_741, holder: undefined, leasedUntil: 0 };
  expect(typeof packEntry(counter)).toBe("number");
  expect(packEntry({ ...counter, count: 0, value: "value" })).toEqual({ value: "value", expiresAt: counter.expiresAt });
});
