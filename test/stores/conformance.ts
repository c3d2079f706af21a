import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import type { ManualClock } from "@doorcode/core/testing";
import {
  type BreakableConnection,
  clockSkewConformance,
  connectionLossConformance,
  storeConformance,
} from "@doorcode/store-conformance";
import { expect, test } from "vitest";
import { skewApp } from "../support/app-clock.ts";
import { holdAnswers } from "../support/held-answers.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";

/** The store under test, and its time. */
export interface ConformanceSetup {
  readonly store: () => Store;
  /** Lets time pass for the entries of the store, without waiting. */
  readonly advance: (milliseconds: number) => Promise<void>;
}

const generous = { timeout: 60_000 };

/** Tests the whole contract. */
export function testConformance({ store, advance }: ConformanceSetup): void {
  for (const { title, check } of storeConformance) test(title, generous, () => check(store(), { advance }));
}

/** Tests the promises for apps with wrong clocks. The clock of an app is `Date`, since the store is given no other. */
export function testClockSkew({ store, advance }: ConformanceSetup): void {
  for (const { title, check } of clockSkewConformance) {
    test(title, generous, () => check(store(), { advance, skewApp }));
  }
}

/** Tests that every entry which the other tests left behind has a lifetime, in milliseconds. */
export function testLifetimes(lifetimes: () => Promise<readonly number[]>): void {
  test("writes nothing without a lifetime", async () => {
    const found = await lifetimes();
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((milliseconds) => milliseconds < 0)).toEqual([]);
  });
}

/** Tests that values and leases also run out by themselves, on the server's own clock. */
export function testRealTime(store: () => Store): void {
  test("forgets a value, and hands a lease on, when a second has really passed", async () => {
    const [value, lease] = [randomUUID(), randomUUID()];
    await store().put(value, "value", { ttlSeconds: 1 });
    await store().lease(lease, "a", { leaseSeconds: 1, ttlSeconds: 60 });
    await pause(1050);
    expect(await store().get([value])).toEqual([undefined]);
    expect((await store().lease(lease, "b", { leaseSeconds: 1, ttlSeconds: 60 })).held).toBe(true);
  });
}

/** A store with proxies on all of its connections. */
export interface WiredStore {
  readonly store: Store;
  readonly proxies: readonly TcpProxy[];
  /** Times the waiting of the store. It moves only while answers are held back. */
  readonly clock: ManualClock;
}

/** Tests the promises for a lost connection, each on a store of its own. */
export function testConnectionLoss(open: () => Promise<WiredStore>): void {
  for (const { title, check } of connectionLossConformance) {
    test(title, generous, async () => {
      const wired = await open();
      await check(wired.store, {
        advance: pause,
        connection: createBreakableConnection(wired),
        settlesWithinSeconds: 15,
      });
    });
  }
}

function createBreakableConnection({ proxies, clock }: WiredStore): BreakableConnection {
  const each = (change: (proxy: TcpProxy) => void) => () => proxies.forEach(change);
  let restore = each((proxy) => proxy.restore());
  return {
    cut: each((proxy) => proxy.refuse()),
    holdAnswers() {
      restore = holdAnswers(proxies, clock);
    },
    loseAnswer: each((proxy) => proxy.loseAnswer()),
    restore: () => restore(),
  };
}
