import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { codeOwners } from "../support/login-setup.ts";
import { pairwise } from "../support/pairwise.ts";
import { openPlatforms, openStores } from "../support/platforms.ts";

const { pairwise: platforms, everyStore } = await openPlatforms();
const storeNames = (await openStores()).map(({ name }) => name);

/** Counts the different combinations of two values. */
function countPairs<Row>(rows: readonly Row[], left: (row: Row) => unknown, right: (row: Row) => unknown): number {
  return new Set(rows.map((row) => JSON.stringify([left(row), right(row)]))).size;
}

describe("pairwise combinations", () => {
  const dimensions = { store: [1, 2, 3], host: ["E", "F"], owner: ["app", "service"], instants: [1, 2, 3, 4, 5] };
  const names = ["store", "host", "owner", "instants"] as const;
  const combinations = pairwise(dimensions);
  const pairs = names.flatMap((left) => names.filter((right) => left < right).map((right) => ({ left, right })));

  test.each(pairs)("have every $left with every $right", ({ left, right }) => {
    const count = countPairs(
      combinations,
      (row) => row[left],
      (row) => row[right],
    );
    expect(count).toBe(dimensions[left].length * dimensions[right].length);
  });

  test("are few", () => {
    expect(combinations.length).toBeLessThan(20);
  });
});

describe("the platforms of a suite", () => {
  const storeOf = ({ name }: { readonly name: string }) => name.split(" with ")[1];
  const hostOf = ({ name }: { readonly name: string }) => name.split(" with ")[0];

  test("have every store with every framework and every owner of the codes, and every framework with every owner", () => {
    expect(countPairs(platforms, storeOf, hostOf)).toBe(storeNames.length * hosts.length);
    expect(countPairs(platforms, storeOf, ({ owner }) => owner)).toBe(storeNames.length * codeOwners.length);
    expect(countPairs(platforms, hostOf, ({ owner }) => owner)).toBe(hosts.length * codeOwners.length);
  });

  test.each([0, 1] as const)("have every store once in half %i, on all frameworks", (half) => {
    const chosen = everyStore(half);
    expect(chosen.map(storeOf)).toEqual(storeNames);
    expect(new Set(chosen.map(hostOf)).size).toBe(hosts.length);
  });

  test("are divided into two halves", () => {
    expect([...everyStore(0), ...everyStore(1)]).toEqual(platforms);
  });
});
