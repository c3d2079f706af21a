import { describe, expect, it } from "vitest";
import { type HeldLease, takeLease } from "../../src/store/held-lease.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { createManualClock } from "../../src/testing.ts";

/** Creates a store that counts its leases. `gate` delays them, `failing` makes them reject. */
function createBench() {
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

type Bench = ReturnType<typeof createBench>;

async function hold({ take }: Pick<Bench, "take">): Promise<HeldLease> {
  const taken = await take();
  if (!taken.held) throw new TypeError("The key is not free.");
  return taken;
}

async function storedIn({ memory }: Bench): Promise<string | undefined> {
  return (await memory.get(["key"]))[0];
}

describe("takeLease", () => {
  it("takes a free key with its value, and returns the value of a key that another holder has", async () => {
    const bench = createBench();
    await bench.memory.put("key", "before", { ttlSeconds: 600 });
    expect(await bench.take()).toMatchObject({ held: true, value: "before" });
    expect(await bench.take()).toEqual({ held: false, value: "before" });
  });

  it("takes a key whose lease ran out", async () => {
    const bench = createBench();
    await hold(bench);
    await bench.clock.advance(14_999);
    expect((await bench.take()).held).toBe(false);
    await bench.clock.advance(1);
    expect((await bench.take()).held).toBe(true);
  });

  it("rejects if the store rejects", async () => {
    const bench = createBench();
    bench.obstacle.failing = true;
    await expect(bench.take()).rejects.toThrow();
  });
});

describe("settle", () => {
  it("writes or deletes, and releases the key", async () => {
    const bench = createBench();
    expect(await (await hold(bench)).settle("after")).toBe(true);
    expect(await storedIn(bench)).toBe("after");
    expect(await (await hold(bench)).settle(undefined)).toBe(true);
    expect(await storedIn(bench)).toBeUndefined();
  });

  it("writes nothing after another holder took over", async () => {
    const bench = createBench();
    const slow = await hold(bench);
    await bench.clock.advance(15_000);
    const next = await hold(bench);
    expect(await slow.settle("slow")).toBe(false);
    expect(await next.settle("next")).toBe(true);
    expect(await slow.settle("slow")).toBe(false);
    expect(await storedIn(bench)).toBe("next");
  });
});

describe("settle with another function", () => {
  it("calls it with the key and the token of the lease, and not the store", async () => {
    const bench = createBench();
    const lease = await hold(bench);
    const asked: unknown[] = [];
    const settled = await lease.settle("done", async (...given) => {
      asked.push(given);
      return bench.memory.settle(...given);
    });
    expect(settled).toBe(true);
    expect(asked).toEqual([["key", expect.any(String), "done", { ttlSeconds: 600 }]]);
    expect(await storedIn(bench)).toBe("done");
  });

  it("rejects with its error, and does not call it after the lease is lost", async () => {
    const bench = createBench();
    const lease = await hold(bench);
    await expect(lease.settle("done", () => Promise.reject(new Error("rolled back")))).rejects.toThrow("rolled back");
    const slowClock = createManualClock();
    const other = await takeLease(bench.store, "b", { clock: slowClock, leaseSeconds: 15, ttlSeconds: 600 });
    if (!other.held) throw new TypeError("The key is not free.");
    const { signal } = other.keepAlive(60);
    await bench.clock.advance(15_000);
    await bench.memory.lease("b", "successor", { leaseSeconds: 15, ttlSeconds: 600 });
    await slowClock.advance(5000);
    expect(signal.aborted).toBe(true);
    expect(await other.settle("late", () => Promise.reject(new Error("asked")))).toBe(false);
  });
});

describe("keepAlive", () => {
  it("keeps the key as long as the work takes", async () => {
    const bench = createBench();
    const lease = await hold(bench);
    const { signal } = lease.keepAlive(60);
    await bench.clock.advance(59_000);
    expect((await bench.take()).held).toBe(false);
    expect(signal.aborted).toBe(false);
    expect(await lease.settle("done")).toBe(true);
  });

  it("renews after each third of the lease", async () => {
    const bench = createBench();
    (await hold(bench)).keepAlive(60);
    await bench.clock.advance(4999);
    expect(bench.asked.leases).toBe(1);
    await bench.clock.advance(1);
    expect(bench.asked.leases).toBe(2);
    await bench.clock.advance(5000);
    expect(bench.asked.leases).toBe(3);
  });

  it("renews at once if the lease is already old", async () => {
    const bench = createBench();
    const lease = await hold(bench);
    await bench.clock.advance(14_000);
    lease.keepAlive(60);
    await bench.clock.advance(2000);
    expect((await bench.take()).held).toBe(false);
  });

  it("aborts at its limit, and lets the lease run out", async () => {
    const bench = createBench();
    const { signal } = (await hold(bench)).keepAlive(10);
    await bench.clock.advance(9999);
    expect(signal.aborted).toBe(false);
    await bench.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
    await bench.clock.advance(15_000);
    expect((await bench.take()).held).toBe(true);
    expect(bench.clock.pending).toBe(0);
  });

  it.each(["stop", "settle"] as const)("ends with %s, without an abort and without a remaining timer", async (end) => {
    const bench = createBench();
    const lease = await hold(bench);
    const renewal = lease.keepAlive(60);
    await bench.clock.advance(7000);
    if (end === "stop") renewal.stop();
    else await lease.settle("done");
    expect(bench.clock.pending).toBe(0);
    await bench.clock.advance(60_000);
    expect(renewal.signal.aborted).toBe(false);
  });

  it("aborts if another holder has the key", async () => {
    const bench = createBench();
    const frozenClock = createManualClock();
    const lease = await hold({ take: () => bench.take(bench.store, frozenClock) });
    const { signal } = lease.keepAlive(60);
    await bench.clock.advance(15_000);
    await hold(bench);
    await frozenClock.advance(5000);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(await lease.settle("slow")).toBe(false);
  });

  it("gives the key back if a successor settled before the renewal", async () => {
    const bench = createBench();
    const frozenClock = createManualClock();
    const lease = await hold({ take: () => bench.take(bench.store, frozenClock) });
    const { signal } = lease.keepAlive(60);
    await bench.clock.advance(15_000);
    await (await hold(bench)).settle("next");
    await frozenClock.advance(5000);
    expect(signal.aborted).toBe(true);
    expect(await lease.settle("slow")).toBe(false);
    expect(await bench.take()).toMatchObject({ held: true, value: "next" });
  });

  it("counts the lease as lost even if the key could not be given back", async () => {
    const bench = createBench();
    const frozenClock = createManualClock();
    const store: Store = { ...bench.store, settle: bench.memory.settle };
    const lease = await hold({ take: () => bench.take(store, frozenClock) });
    lease.keepAlive(60);
    await bench.clock.advance(15_000);
    await (await hold(bench)).settle("next");
    store.settle = () => Promise.reject(new Error("connection refused"));
    await frozenClock.advance(5000);
    store.settle = bench.memory.settle;
    expect(await lease.settle("slow")).toBe(false);
    expect(await storedIn(bench)).toBe("next");
  });

  it("does not take the key again with a renewal that was under way when the lease ended", async () => {
    const bench = createBench();
    const lease = await hold(bench);
    lease.keepAlive(60);
    const { promise, resolve: open } = Promise.withResolvers<void>();
    bench.obstacle.gate = promise;
    await bench.clock.advance(5000);
    const settled = lease.settle("done");
    open();
    expect(await settled).toBe(true);
    await bench.clock.advance(0);
    expect((await bench.take(bench.memory)).held).toBe(true);
  });

  it("survives a store that fails for less than a lease, and gives up once the lease has surely run out", async () => {
    const bench = createBench();
    const { signal } = (await hold(bench)).keepAlive(60);
    bench.obstacle.failing = true;
    await bench.clock.advance(10_000);
    bench.obstacle.failing = false;
    await bench.clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    bench.obstacle.failing = true;
    await bench.clock.advance(14_999);
    expect(signal.aborted).toBe(false);
    await bench.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(bench.clock.pending).toBe(0);
  });
});
