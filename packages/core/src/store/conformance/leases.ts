import assert from "node:assert/strict";
import { freshKey, long, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const short = { leaseSeconds: 1, ttlSeconds: 60 } as const;

/** What `lease` and `settle` promise when nobody races. */
export const leaseChecks: readonly StoreCheck[] = [
  {
    title: "leases an absent key, which then still has no value",
    async check(store) {
      const key = freshKey();
      const leased = await store.lease(key, "a", long);
      assert.deepEqual(leased, { held: true, value: undefined }, "An absent key must be leased, without a value.");
      assert.deepEqual(await store.get([key]), [undefined], "A lease must not make a value.");
      assert.equal(await store.settle(key, "a", "done", minute), true, "The holder of an absent key must settle it.");
      assert.deepEqual(await store.get([key]), ["done"], "settle must write the value.");
    },
  },
  {
    title: "leases a key to one holder at a time, and shows the value to others",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      const held = await store.lease(key, "a", long);
      assert.deepEqual(held, { held: true, value: "value" }, "A free key must be leased with its value.");
      const other = await store.lease(key, "b", long);
      assert.deepEqual(other, { held: false, value: "value" }, "A held key must not be leased to another token.");
      assert.deepEqual(await store.get([key]), ["value"], "A lease must leave the value.");
      assert.equal(await store.settle(key, "b", "b", minute), false, "Who was refused the lease must not settle.");
      assert.equal(await store.settle(key, "a", "a", minute), true, "The holder must settle.");
      assert.deepEqual(await store.get([key]), ["a"], "What the holder settled must stand.");
    },
  },
  {
    title: "hands a key on when its lease has run out, and not before",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 2, ttlSeconds: 60 });
      await advance(1000);
      assert.equal((await store.lease(key, "b", long)).held, false, "A lease must last for its leaseSeconds.");
      await advance(1000);
      assert.equal((await store.lease(key, "b", long)).held, true, "A lease that ran out must be handed on.");
    },
  },
  {
    title: "renews the lease of its holder",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", short);
      assert.equal((await store.lease(key, "a", long)).held, true, "The holder must be able to renew.");
      await advance(1000);
      assert.equal((await store.lease(key, "b", long)).held, false, "A renewed lease must last anew.");
    },
  },
  {
    title: "fences out a holder that was followed by another, also after that one is done",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "slow", short);
      await advance(1000);
      await store.lease(key, "next", long);
      assert.equal(
        await store.settle(key, "slow", "slow", minute),
        false,
        "A follower must fence out its predecessor.",
      );
      assert.equal(await store.settle(key, "next", "next", minute), true, "The last holder must settle.");
      assert.equal(await store.settle(key, "slow", "slow", minute), false, "The fence must outlast the follower.");
      assert.deepEqual(await store.get([key]), ["next"], "A refused settle must write nothing.");
    },
  },
  {
    title: "settles late when nobody took over",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", short);
      await advance(1000);
      assert.equal(await store.settle(key, "a", "late", minute), true, "The last holder must settle even late.");
      assert.deepEqual(await store.get([key]), ["late"], "What was settled late must stand.");
    },
  },
  {
    title: "ends the lease with settle",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", long);
      await store.settle(key, "a", "once", minute);
      assert.equal(await store.settle(key, "a", "twice", minute), false, "A lease must settle once.");
      const next = await store.lease(key, "b", long);
      assert.deepEqual(next, { held: true, value: "once" }, "A settled key must be free.");
    },
  },
  {
    title: "keeps the lease through settle with hold, for no longer than it was taken",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 2, ttlSeconds: 60 });
      assert.equal(await store.settle(key, "a", "first", { ...minute, hold: true }), true, "The holder must settle.");
      const other = await store.lease(key, "b", long);
      assert.deepEqual(other, { held: false, value: "first" }, "hold must keep the lease.");
      assert.equal(
        await store.settle(key, "a", undefined, { ...minute, hold: true }),
        true,
        "A held key settles again.",
      );
      const emptied = await store.lease(key, "b", long);
      assert.deepEqual(emptied, { held: false, value: undefined }, "hold must keep the lease of a deleted value.");
      await advance(2000);
      assert.equal((await store.lease(key, "b", long)).held, true, "hold must not lengthen the lease.");
    },
  },
  {
    title: "deletes with a settle of undefined",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      await store.lease(key, "a", long);
      assert.equal(await store.settle(key, "a", undefined, minute), true, "The holder must be able to delete.");
      assert.deepEqual(await store.get([key]), [undefined], "settle of undefined must delete.");
      assert.equal(await store.settle(key, "a", "again", minute), false, "A deleted key has no holder.");
    },
  },
  {
    title: "settles nothing that was never leased",
    async check(store) {
      const [absent, present] = [freshKey(), freshKey()];
      await store.put(present, "value", minute);
      assert.equal(await store.settle(absent, "a", "mine", minute), false, "An absent key has no holder.");
      assert.equal(await store.settle(present, "a", "mine", minute), false, "A key that nobody leased has no holder.");
      assert.deepEqual(
        await store.get([absent, present]),
        [undefined, "value"],
        "A refused settle must write nothing.",
      );
    },
  },
  {
    title: "ends a lease with put, of a value or of undefined",
    async check(store) {
      const [written, deleted] = [freshKey(), freshKey()];
      for (const key of [written, deleted]) await store.lease(key, "a", long);
      await store.put(written, "put", minute);
      await store.put(deleted, undefined, minute);
      for (const key of [written, deleted]) {
        assert.equal(await store.settle(key, "a", "settled", minute), false, "put must end the right to settle.");
        assert.equal((await store.lease(key, "b", long)).held, true, "put must free the key.");
      }
      assert.deepEqual(await store.get([written, deleted]), ["put", undefined], "What was put must stand.");
    },
  },
  {
    title: "lets lease and settle set the lifetime anew, and refused ones leave it",
    async check(store, { advance }) {
      const [leased, settled, refused] = [freshKey(), freshKey(), freshKey()];
      const second = { leaseSeconds: 1, ttlSeconds: 1 };
      await store.put(leased, "value", { ttlSeconds: 1 });
      await store.lease(leased, "a", long);
      await store.lease(settled, "a", second);
      await store.settle(settled, "a", "value", minute);
      await store.lease(refused, "a", second);
      await store.settle(refused, "a", "value", { ttlSeconds: 1, hold: true });
      await store.lease(refused, "b", long);
      await store.settle(refused, "b", "mine", minute);
      await advance(1000);
      const values = await store.get([leased, settled, refused]);
      assert.deepEqual(values, ["value", "value", undefined], "Only what was granted must set the lifetime.");
    },
  },
  {
    title: "forgets the holder with the entry",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 60, ttlSeconds: 1 });
      await advance(1000);
      assert.equal(await store.settle(key, "a", "late", minute), false, "An expired entry has no holder.");
      assert.equal((await store.lease(key, "b", long)).held, true, "An expired entry is free.");
    },
  },
];
