import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "@doorcode/core/store";
import {
  clockSkewConformance,
  connectionLossConformance,
  storeConformance,
  type Wire,
} from "@doorcode/core/store-conformance";
import { expect, test } from "vitest";
import { skewApp } from "../support/app-clock.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";

/** What a run of the conformance needs. */
export interface ConformanceBench {
  readonly store: () => Store;
  /** Lets time pass on the server's clock; when left out, it really passes. */
  readonly advance?: (milliseconds: number) => Promise<void>;
}

const generous = { timeout: 60_000 };

/** Tries the whole contract, on the server's own clock. */
export function testConformance({ store, advance = reallyWait }: ConformanceBench): void {
  for (const { title, check } of storeConformance) test(title, generous, () => check(store(), { advance }));
}

/** Tries what is promised to apps whose clocks are wrong. A store that is told no time has `Date` for the app's clock. */
export function testClockSkew({ store, advance = reallyWait }: ConformanceBench): void {
  for (const { title, check } of clockSkewConformance) {
    test(title, generous, () => check(store(), { advance, skewApp }));
  }
}

/** Looks at what a conformance has left behind: every lifetime that is kept, in milliseconds. */
export function testLifetimes(lifetimes: () => Promise<readonly number[]>): void {
  test("has written nothing without a lifetime", async () => {
    const found = await lifetimes();
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter((milliseconds) => milliseconds < 0)).toEqual([]);
  });
}

/** A store whose connections all go through these proxies. */
export interface WiredStore {
  readonly store: Store;
  readonly proxies: readonly TcpProxy[];
}

/** Tries what is promised for a connection that is lost, each time on a store of its own. */
export function testConnectionLoss(open: () => Promise<WiredStore>): void {
  for (const { title, check } of connectionLossConformance) {
    test(title, generous, async () => {
      const { store, proxies } = await open();
      await check(store, { advance: reallyWait, connection: wireThrough(proxies), settlesWithinSeconds: 15 });
    });
  }
}

function wireThrough(proxies: readonly TcpProxy[]): Wire {
  const each = (act: (proxy: TcpProxy) => void) => () => proxies.forEach(act);
  return {
    cut: each((proxy) => proxy.refuse()),
    holdAnswers: each((proxy) => proxy.holdAnswers()),
    loseAnswer: each((proxy) => proxy.loseAnswer()),
    restore: each((proxy) => proxy.restore()),
  };
}

function reallyWait(milliseconds: number): Promise<void> {
  return wait(milliseconds + 50);
}
