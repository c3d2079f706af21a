import assert from "node:assert/strict";
import { freshKey, longLease, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const shortLease = { leaseSeconds: 1, ttlSeconds: 60 } as const;

/** The checks of `lease` and `settle` without races. */
export const leaseChecks: readonly StoreCheck[] = [
  {
    title: "leases an absent key without creating a value",
    async check(store) {
      const key = freshKey();
      const leased = await store.lease(key, "a", longLease);
      assert.deepEqual(leased, { held: true, value: undefined }, "An absent key must be leased without a value.");
      assert.deepEqual(await store.get([key]), [undefined], "A lease must not create a value.");
      assert.equal(await store.settle(key, "a", "done", minute), true, "The holder must settle an absent key.");
      assert.deepEqual(await store.get([key]), ["done"], "settle must write the value.");
    },
  },
  {
    title: "leases a key to one holder at a time, and returns the value to others",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      const held = await store.lease(key, "a", longLease);
      assert.deepEqual(held, { held: true, value: "value" }, "A free key must be leased with its value.");
      const other = await store.lease(key, "b", longLease);
      assert.deepEqual(other, { held: false, value: "value" }, "A held key must not be leased to another token.");
      assert.deepEqual(await store.get([key]), ["value"], "A lease must leave the value unchanged.");
      assert.equal(await store.settle(key, "b", "b", minute), false, "A token without the lease must not settle.");
      assert.equal(await store.settle(key, "a", "a", minute), true, "The holder must settle.");
      assert.deepEqual(await store.get([key]), ["a"], "The value of the holder must be stored.");
    },
  },
  {
    title: "leases a key to another token after its lease runs out, and not before",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 2, ttlSeconds: 60 });
      await advance(1000);
      assert.equal((await store.lease(key, "b", longLease)).held, false, "A lease must last for its leaseSeconds.");
      await advance(1000);
      assert.equal((await store.lease(key, "b", longLease)).held, true, "Another token must get a lease that ran out.");
    },
  },
  {
    title: "renews a lease for its holder",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", shortLease);
      assert.equal((await store.lease(key, "a", longLease)).held, true, "The holder must renew its lease.");
      await advance(1000);
      assert.equal(
        (await store.lease(key, "b", longLease)).held,
        false,
        "A renewed lease must last for its new leaseSeconds.",
      );
    },
  },
  {
    title: "fences out a holder that was replaced, even after its successor has settled",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "slow", shortLease);
      await advance(1000);
      await store.lease(key, "next", longLease);
      assert.equal(
        await store.settle(key, "slow", "slow", minute),
        false,
        "A successor must fence out its predecessor.",
      );
      assert.equal(await store.settle(key, "next", "next", minute), true, "The last holder must settle.");
      assert.equal(
        await store.settle(key, "slow", "slow", minute),
        false,
        "The fence must remain after the successor has settled.",
      );
      assert.deepEqual(await store.get([key]), ["next"], "A refused settle must write nothing.");
    },
  },
  {
    title: "settles late if no other token took over",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", shortLease);
      await advance(1000);
      assert.equal(
        await store.settle(key, "a", "late", minute),
        true,
        "The last holder must settle even after its lease ran out.",
      );
      assert.deepEqual(await store.get([key]), ["late"], "The late value must be stored.");
    },
  },
  {
    title: "ends the lease with settle",
    async check(store) {
      const key = freshKey();
      await store.lease(key, "a", longLease);
      await store.settle(key, "a", "once", minute);
      assert.equal(await store.settle(key, "a", "twice", minute), false, "A lease must settle only once.");
      const next = await store.lease(key, "b", longLease);
      assert.deepEqual(next, { held: true, value: "once" }, "A settled key must be free.");
    },
  },
  {
    title: "keeps the lease after settle with hold, and does not extend it",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 2, ttlSeconds: 60 });
      assert.equal(await store.settle(key, "a", "first", { ...minute, hold: true }), true, "The holder must settle.");
      const other = await store.lease(key, "b", longLease);
      assert.deepEqual(other, { held: false, value: "first" }, "hold must keep the lease.");
      assert.equal(
        await store.settle(key, "a", undefined, { ...minute, hold: true }),
        true,
        "A lease kept by hold must settle again.",
      );
      const afterDelete = await store.lease(key, "b", longLease);
      assert.deepEqual(afterDelete, { held: false, value: undefined }, "hold must keep the lease of a deleted value.");
      await advance(2000);
      assert.equal((await store.lease(key, "b", longLease)).held, true, "hold must not lengthen the lease.");
    },
  },
  {
    title: "deletes a value with settle of undefined",
    async check(store) {
      const key = freshKey();
      await store.put(key, "value", minute);
      await store.lease(key, "a", longLease);
      assert.equal(await store.settle(key, "a", undefined, minute), true, "The holder must delete the value.");
      assert.deepEqual(await store.get([key]), [undefined], "settle of undefined must delete.");
      assert.equal(await store.settle(key, "a", "again", minute), false, "A deleted key must have no holder.");
    },
  },
  {
    title: "does not settle a key that was never leased",
    async check(store) {
      const [absent, present] = [freshKey(), freshKey()];
      await store.put(present, "value", minute);
      assert.equal(await store.settle(absent, "a", "mine", minute), false, "An absent key must have no holder.");
      assert.equal(
        await store.settle(present, "a", "mine", minute),
        false,
        "A key that was never leased must have no holder.",
      );
      assert.deepEqual(
        await store.get([absent, present]),
        [undefined, "value"],
        "A refused settle must write nothing.",
      );
    },
  },
  {
    title: "ends a lease with put of a value or undefined",
    async check(store) {
      const [written, deleted] = [freshKey(), freshKey()];
      for (const key of [written, deleted]) await store.lease(key, "a", longLease);
      await store.put(written, "put", minute);
      await store.put(deleted, undefined, minute);
      for (const key of [written, deleted]) {
        assert.equal(await store.settle(key, "a", "settled", minute), false, "put must end the right to settle.");
        assert.equal((await store.lease(key, "b", longLease)).held, true, "put must free the key.");
      }
      assert.deepEqual(await store.get([written, deleted]), ["put", undefined], "The put must take effect.");
    },
  },
  {
    title: "restarts the lifetime with lease and settle, but not if they are refused",
    async check(store, { advance }) {
      const [leased, settled, refused] = [freshKey(), freshKey(), freshKey()];
      const oneSecond = { leaseSeconds: 1, ttlSeconds: 1 };
      await store.put(leased, "value", { ttlSeconds: 1 });
      await store.lease(leased, "a", longLease);
      await store.lease(settled, "a", oneSecond);
      await store.settle(settled, "a", "value", minute);
      await store.lease(refused, "a", oneSecond);
      await store.settle(refused, "a", "value", { ttlSeconds: 1, hold: true });
      await store.lease(refused, "b", longLease);
      await store.settle(refused, "b", "mine", minute);
      await advance(1000);
      const values = await store.get([leased, settled, refused]);
      assert.deepEqual(values, ["value", "value", undefined], "Only a granted call must restart the lifetime.");
    },
  },
  {
    title: "removes the holder with the expired entry",
    async check(store, { advance }) {
      const key = freshKey();
      await store.lease(key, "a", { leaseSeconds: 60, ttlSeconds: 1 });
      await advance(1000);
      assert.equal(await store.settle(key, "a", "late", minute), false, "An expired entry must have no holder.");
      assert.equal((await store.lease(key, "b", longLease)).held, true, "An expired entry must be free.");
    },
  },
];
