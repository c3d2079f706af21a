import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "@doorcode/core";
import { storeConformance } from "@doorcode/core/store-conformance";
import { expect, test } from "vitest";

/** What a run of the conformance needs: the store, and every lifetime that is kept, in milliseconds. */
export interface ConformanceBench {
  readonly store: () => Store;
  readonly lifetimes: () => Promise<readonly number[]>;
}

/** Tries the whole contract, on the server's own clock, and then looks at what was left behind. */
export function testConformance({ store, lifetimes }: ConformanceBench): void {
  test.each(storeConformance)("$title", { timeout: 20_000 }, ({ check }) =>
    check(store(), { advance: (milliseconds) => wait(milliseconds + 50) }),
  );

  test("has written nothing without a lifetime", async () => {
    const found = await lifetimes();
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((milliseconds) => milliseconds < 0)).toEqual([]);
  });
}
