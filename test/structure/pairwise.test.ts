import { describe, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { codeOwners } from "../support/login-setup.ts";
import { openPlatforms, openStores } from "../support/platforms.ts";

const everyStore = await openPlatforms();
const platforms = [...everyStore(0), ...everyStore(1)];
const storeNames = (await openStores()).map(({ name }) => name);

/** Counts the different combinations of two values. */
function countPairs<Row>(rows: readonly Row[], left: (row: Row) => unknown, right: (row: Row) => unknown): number {
  return new Set(rows.map((row) => JSON.stringify([left(row), right(row)]))).size;
}

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
});
