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
  test("takes a free key with its value, and returns the value of a key that another holder has", async () => {
    const setup = setUpLease();
    await setup.memory.put("key", "before", { ttlSeconds: 600 });
    expect(await setup.take()).toMatchObject({ held: true, value: "before" });
    expect(await setup.take()).toEqual({ held: false, value: "before" });
  });

  test("takes a key whose lease ran out", async () => {
    const setup = setUpLease();
    await hold(setup);
    await setup.clock.advance(14_999);
    expect((await setup.take()).held).toBe(false);
    await setup.clock.advance(1);
    expect((await setup.take()).held).toBe(true);
  });

  test("rejects if the store rejects", async () => {
    const setup = setUpLease();
    setup.obstacle.failing = true;
    await expect(setup.take()).rejects.toThrow();
  });

  test("writes a value and keeps the lease, which is renewed with that value", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    expect(await lease.write("written")).toBe(true);
    expect(await setup.take()).toEqual({ held: false, value: "written" });
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(50_000);
    expect([signal.aborted, await lease.settle("settled"), await storedIn(setup)]).toEqual([false, true, "settled"]);
  });

  test("writes nothing once another holder took over", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await setup.clock.advance(15_000);
    await hold(setup);
    expect([await lease.write("written"), await storedIn(setup)]).toEqual([false, undefined]);
  });
});

test("no two leases have the same token", async () => {
  const { memory, clock } = setUpLease();
  const tokens = new Set<string>();
  const store: Store = {
    ...memory,
    lease(key, token, options) {
      tokens.add(token);
      return memory.lease(key, token, options);
    },
  };
  for (let index = 0; index < 300; index++) {
    await takeLease(store, `key ${index}`, { clock, leaseSeconds: 15, ttlSeconds: 600 });
  }
  expect(tokens.size).toBe(300);
});

describe("settle", () => {
  test("writes or deletes, and releases the key", async () => {
    const setup = setUpLease();
    expect(await (await hold(setup)).settle("after")).toBe(true);
    expect(await storedIn(setup)).toBe("after");
    expect(await (await hold(setup)).settle(undefined)).toBe(true);
    expect(await storedIn(setup)).toBeUndefined();
  });

  test("writes nothing after another holder took over", async () => {
    const setup = setUpLease();
    const slow = await hold(setup);
    await setup.clock.advance(15_000);
    const next = await hold(setup);
    expect(await slow.settle("slow")).toBe(false);
    expect(await next.settle("next")).toBe(true);
    expect(await slow.settle("slow")).toBe(false);
    expect(await storedIn(setup)).toBe("next");
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

  test("calls it with the key and the token of the lease, and not the store", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    const asked: unknown[] = [];
    const settled = await lease.settle("done", async (...given) => {
      asked.push(given);
      return setup.memory.settle(...given);
    });
    expect(settled).toBe(true);
    expect(asked).toEqual([["key", expect.any(String), "done", { ttlSeconds: 600 }]]);
    expect(await storedIn(setup)).toBe("done");
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

  test("keeps the key as long as the work takes", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(59_000);
    expect((await setup.take()).held).toBe(false);
    expect(signal.aborted).toBe(false);
    expect(await lease.settle("done")).toBe(true);
  });

  test("renews after each third of the lease", async () => {
    const setup = setUpLease();
    (await hold(setup)).keepAlive(60);
    await setup.clock.advance(4999);
    expect(setup.asked.leases).toBe(1);
    await setup.clock.advance(1);
    expect(setup.asked.leases).toBe(2);
    await setup.clock.advance(5000);
    expect(setup.asked.leases).toBe(3);
  });

  test("renews at once if the lease is already old", async () => {
    const setup = setUpLease();
    const lease = await hold(setup);
    await setup.clock.advance(14_000);
    lease.keepAlive(60);
    await setup.clock.advance(2000);
    expect((await setup.take()).held).toBe(false);
  });

  test("aborts at its limit, and lets the lease run out", async () => {
    const setup = setUpLease();
    const { signal } = (await hold(setup)).keepAlive(10);
    await setup.clock.advance(9999);
    expect(signal.aborted).toBe(false);
    await setup.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
    await setup.clock.advance(15_000);
    expect((await setup.take()).held).toBe(true);
    expect(setup.clock.pending).toBe(0);
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

  test("aborts if another holder has the key", async () => {
    const setup = setUpLease();
    const frozenClock = createManualClock();
    const lease = await hold({ take: () => setup.take(setup.store, frozenClock) });
    const { signal } = lease.keepAlive(60);
    await setup.clock.advance(15_000);
    await hold(setup);
    await frozenClock.advance(5000);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(await lease.settle("slow")).toBe(false);
  });

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

  test("survives a store that fails for less than a lease, and gives up once the lease has surely run out", async () => {
    const setup = setUpLease();
    const { signal } = (await hold(setup)).keepAlive(60);
    setup.obstacle.failing = true;
    await setup.clock.advance(10_000);
    setup.obstacle.failing = false;
    await setup.clock.advance(10_000);
    expect(signal.aborted).toBe(false);
    setup.obstacle.failing = true;
    await setup.clock.advance(14_999);
    expect(signal.aborted).toBe(false);
    await setup.clock.advance(1);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(setup.clock.pending).toBe(0);
  });
});
