import { describe, expect, test } from "vitest";
import { type HeldLease, takeLease } from "../../src/store/lease.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

/** Creates a store that counts its leases. `gate` delays them, `failing` makes them reject. */
function setUpLease() {
  const clock = createManualClock();
  const memory = createMemoryStore({ clock });
  const obstacle: { gate?: Promise<void>; failing?: boolean } = {};
  const asked = { leases: 0 };
  const store: Store = {
    ...memory,
    async lease(...args) {
      asked.leases++;
      await obstacle.gate;
      if (obstacle.failing) throw new Error("connection refused");
      return memory.lease(...args);
    },
  };
  const take = (of: Store = store, on = clock) =>
    takeLease(of, "key", { clock: on, leaseSeconds: 15, ttlSeconds: 600 });
  return { clock, memory, store, obstacle, asked, take };
}

type LeaseSetup = ReturnType<typeof setUpLease>;

async function hold({ take }: Pick<LeaseSetup, "take">): Promise<HeldLease> {
  const taken = await take();
  if (!taken.held) throw new TypeError("The key is not free.");
  return taken;
}

async function storedIn({ memory }: LeaseSetup): Promise<string | undefined> {
  return (await memory.get(["key"]))[0];
}

describe("takeLease", () => {
  test("writes a value and keeps the lease, which is renewed with that value", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    expect(await lease.write("written")).toBe(true);
    expect(await setup.take()).toEqual({ held: false, value: "written" });
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(50_000);
    expect([signal.aborted, await lease.settle("settled"), await storedIn(setup)]).toEqual([false, true, "settled"]);
  });
});

describe("settle with another function", () => {
  test("asks the promise of another library once, also if the lease is settled again after a conflict", async () => {
    const lease = await hold(setUpLease());
    let queries = 0;
    const query: PromiseLike<boolean> = {
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what this is about.
      then(take, fail) {
        queries++;
        return Promise.resolve(true).then(take, fail);
      },
    };
    for (const settled of [1, 2]) {
      expect(await lease.settle("done", () => query as Promise<boolean>)).toBe(true);
      expect(queries).toBe(settled);
    }
  });

  test("rejects with its error, and does not call it after the lease is lost", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await expect(lease.settle("done", () => Promise.reject(new Error("rolled back")))).rejects.toThrow("rolled back");
    const slowClock = createManualClock();
    const other = await takeLease(setup.store, "b", { clock: slowClock, leaseSeconds: 15, ttlSeconds: 600 });
    if (!other.held) throw new TypeError("The key is not free.");
    const { signal } = other.keepAlive(60);
    await setup.clock.advance(15_000);
    await setup.memory.lease("b", "successor", { leaseSeconds: 15, ttlSeconds: 600 });
    await slowClock.advance(5000);
    expect(signal.aborted).toBe(true);
    expect(await other.settle("late", () => Promise.reject(new Error("asked")))).toBe(false);
  });
});

describe("keepAlive", () => {
  test("aborts for a lease whose write another holder forestalled with the same value", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await setup.clock.advance(15_000);
    const other = await hold(setup);
    await other.settle("value");
    expect(await lease.write("value")).toBe(false);
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(1000);
    expect(signal.aborted).toBe(true);
  });

  test("renews at once if the lease is already old", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await setup.clock.advance(14_000);
    lease.keepAlive(60);
    await setup.clock.advance(2000);
    expect((await setup.take()).held).toBe(false);
  });

  test.each(["stop", "settle"] as const)(
    "ends with %s, without an abort and without a remaining timer",
    async (end) => {
      const setup = setUpLease();
      const lease = await hold(setup);
      const renewal = lease.keepAlive(60);
      await setup.clock.advance(7000);
      if (end === "stop") renewal.stop();
      else await lease.settle("done");
      expect(setup.clock.pending).toBe(0);
      await setup.clock.advance(60_000);
      expect(renewal.signal.aborted).toBe(false);
    },
  );

  test("gives the key back if a successor settled before the renewal", async () => {
    const setup = setUpLease();
    const frozenClock = createManualClock();
    const lease = await hold({ take: () => setup.take(setup.store, frozenClock) });
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(15_000);
    await (await hold(setup)).settle("next");
    await frozenClock.advance(5000);
    expect(signal.aborted).toBe(true);
    expect(await lease.settle("slow")).toBe(false);
    expect(await setup.take()).toMatchObject({ held: true, value: "next" });
  });

  test("does not take a lease again that ran out, because a successor may have settled the same value", async () => {
    const setup = setUpLease();
    const timers = createManualClock();
    const lease = await hold({ take: () => setup.take(setup.store, { ...timers, now: setup.clock.now }) });
    const { signal } = lease.keepAlive(60);
    await lease.write("value");
    // The process stands still for 16 seconds: its timers fire after the successor.
    await setup.clock.advance(16_000);
    await (await hold(setup)).settle("value");
    await timers.advance(5000);
    expect([signal.aborted, await lease.settle("late"), await storedIn(setup)]).toEqual([true, false, "value"]);
    expect(setup.asked.leases).toBe(2);
  });

  test("counts a renewal from its request: the store may have begun then, however late it answers", async () => {
    const setup = setUpLease();
    const { signal } = (await hold(setup)).keepAlive(60);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    setup.obstacle.gate = promise;
    // The first renewal is asked for after a quarter, and answered ten seconds later.
    await setup.clock.advance(13_750);
    open();
    await setup.clock.advance(0);
    setup.obstacle.failing = true;
    await setup.clock.advance(7499);
    expect(signal.aborted).toBe(false);
    await setup.clock.advance(1);
    expect(signal.aborted).toBe(true);
  });

  test("loses a lease that ran out before the answer to its renewal, and gives the key back", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await lease.write("value");
    const { signal } = lease.keepAlive(60);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    setup.obstacle.gate = promise;
    await setup.clock.advance(16_000);
    await (await hold({ take: () => setup.take(setup.memory) })).settle("value");
    open();
    await setup.clock.advance(0);
    expect([signal.aborted, await lease.settle("late"), await storedIn(setup)]).toEqual([true, false, "value"]);
    expect((await setup.take()).held).toBe(true);
  });

  test("counts the lease as lost even if the key could not be given back", async () => {
    const setup = setUpLease();
    const frozenClock = createManualClock();
    const store: Store = { ...setup.store, settle: setup.memory.settle };
    const lease = await hold({ take: () => setup.take(store, frozenClock) });
    lease.keepAlive(60);
    await setup.clock.advance(15_000);
    await (await hold(setup)).settle("next");
    store.settle = () => Promise.reject(new Error("connection refused"));
    await frozenClock.advance(5000);
    store.settle = setup.memory.settle;
    expect(await lease.settle("slow")).toBe(false);
    expect(await storedIn(setup)).toBe("next");
  });

  test("does not take the key again with a renewal that was under way when the lease ended", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    lease.keepAlive(60);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    setup.obstacle.gate = promise;
    await setup.clock.advance(5000);
    const settled = lease.settle("done");
    open();
    expect(await settled).toBe(true);
    await setup.clock.advance(0);
    expect((await setup.take(setup.memory)).held).toBe(true);
  });

  test.each([false, true])("aborts nothing by a renewal under way when it is stopped (lost: %s)", async (isLost) => {
    const setup = setUpLease();
    const { signal, stop } = (await hold(setup)).keepAlive(60);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    setup.obstacle.gate = promise;
    await setup.clock.advance(5000);
    stop();
    if (isLost) await setup.memory.put("key", undefined, { ttlSeconds: 600 });
    if (isLost) await setup.memory.lease("key", "another", { leaseSeconds: 600, ttlSeconds: 600 });
    open();
    await setup.clock.advance(120_000);
    expect([signal.aborted, setup.clock.pending]).toEqual([false, 0]);
  });

  test("survives a store that fails for less than a lease, and gives up once the lease has surely run out", async () => {
    const setup = setUpLease();
    const { signal } = (await hold(setup)).keepAlive(60);
    setup.obstacle.failing = true;
    await setup.clock.advance(10_000);
    setup.obstacle.failing = false;
    await setup.clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    setup.obstacle.failing = true;
    // The last renewal that succeeded was at 18.75 seconds.
    await setup.clock.advance(13_749);
    expect(signal.aborted).toBe(false);
    await setup.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(setup.clock.pending).toBe(0);
  });
});
