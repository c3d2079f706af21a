import assert from "node:assert/strict";
import type { CounterChange, CounterState, Store } from "@doorcode/core/store";
import { freshKey, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const absent: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** The checks of `increment` without races. */
export const counterChecks: readonly StoreCheck[] = [
  {
    title: "returns the count and the seconds left as numbers",
    async check(store) {
      const key = freshKey();
      for (const expected of [1, 2, 3]) {
        const { granted, count, secondsLeft } = await change(store, { key, by: 1, ...minute });
        assert.equal(granted, true, "A change without a limit must be granted.");
        assert.equal(count, expected, "count must be the count after the change.");
        assert.equal(typeof secondsLeft, "number", "secondsLeft must be a number.");
        assert.ok(secondsLeft > 50 && secondsLeft <= 60, "secondsLeft must be the time left of ttlSeconds.");
      }
    },
  },
  {
    title: "grants changes up to the limit, and leaves the counter unchanged beyond it",
    async check(store) {
      const key = freshKey();
      await change(store, { key, by: 4, limit: 5, ...minute });
      assert.equal(await outcome(store, { key, by: 2, limit: 5, ...minute }), "refused at 4", "4 + 2 exceeds 5.");
      assert.equal(await outcome(store, { key, by: 1, limit: 5, ...minute }), "granted at 5", "4 + 1 is within 5.");
      assert.equal(await outcome(store, { key, by: 1, limit: 5, ...minute }), "refused at 5", "5 + 1 exceeds 5.");
      assert.equal(
        await outcome(store, { key, by: 1, ...minute }),
        "granted at 6",
        "Without a limit every change must be granted.",
      );
    },
  },
  {
    title: "does not create a counter with a refused change",
    async check(store) {
      const key = freshKey();
      const refused = await change(store, { key, by: 1, limit: 0, ...minute });
      assert.deepEqual(refused, { ...absent, granted: false }, "A limit of 0 must refuse the first change.");
    },
  },
  {
    title: "only reads with by: 0, without creating or renewing",
    async check(store, { advance }) {
      const [key, never] = [freshKey(), freshKey()];
      assert.deepEqual(
        await change(store, { key: never, by: 0, limit: 5, ...minute }),
        absent,
        "An absent counter must read as 0.",
      );
      assert.deepEqual(
        await change(store, { key: never, by: 0, ...minute }),
        absent,
        "Reading must not create a counter.",
      );
      await change(store, { key, by: 5, ttlSeconds: 1 });
      assert.equal(await outcome(store, { key, by: 0, limit: 5, ...minute }), "granted at 5", "5 + 0 is within 5.");
      assert.equal(await outcome(store, { key, by: 0, limit: 4, ...minute }), "refused at 5", "5 + 0 exceeds 4.");
      await change(store, { key, by: 0, renew: true, ...minute });
      await advance(1000);
      assert.deepEqual(
        await change(store, { key, by: 0, ...minute }),
        absent,
        "Reading must not restart the lifetime.",
      );
    },
  },
  {
    title: "subtracts down to 0, and does not create a counter by subtracting",
    async check(store) {
      const [key, never] = [freshKey(), freshKey()];
      await change(store, { key, by: 3, ...minute });
      assert.equal(await outcome(store, { key, by: -1, limit: 3, ...minute }), "granted at 2", "3 - 1 is 2.");
      assert.equal(await outcome(store, { key, by: -5, ...minute }), "granted at 0", "A counter must stop at 0.");
      assert.equal(
        await outcome(store, { key, by: 1, ...minute }),
        "granted at 1",
        "The counter must begin again from 0.",
      );
      assert.deepEqual(
        await change(store, { key: never, by: -1, ...minute }),
        absent,
        "An absent counter must stay absent.",
      );
      assert.deepEqual(
        await change(store, { key: never, by: 0, ...minute }),
        absent,
        "Subtracting must not create a counter.",
      );
    },
  },
  {
    title: "expires a counter at the end of the lifetime that began when it was created",
    async check(store, { advance }) {
      const key = freshKey();
      await change(store, { key, by: 1, ttlSeconds: 3 });
      await advance(1500);
      const { count, secondsLeft } = await change(store, { key, by: 1, ...minute });
      assert.equal(count, 2, "A counter must not expire before its ttlSeconds.");
      assert.ok(
        secondsLeft > 0 && secondsLeft <= 2,
        "secondsLeft must decrease, and later changes must not restart it.",
      );
      await advance(1500);
      assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 1", "A new window must start.");
    },
  },
  {
    title: "restarts the lifetime of a counter with every granted change that renews",
    async check(store, { advance }) {
      const [renewed, refused] = [freshKey(), freshKey()];
      await change(store, { key: renewed, by: 1, ttlSeconds: 1 });
      await change(store, { key: refused, by: 1, ttlSeconds: 1 });
      await change(store, { key: renewed, by: 1, limit: 2, renew: true, ...minute });
      await change(store, { key: refused, by: 1, limit: 1, renew: true, ...minute });
      await advance(1000);
      assert.equal(
        await outcome(store, { key: renewed, by: 0, ...minute }),
        "granted at 2",
        "renew must restart the lifetime.",
      );
      assert.deepEqual(
        await change(store, { key: refused, by: 0, ...minute }),
        absent,
        "A refused change must not restart the lifetime.",
      );
    },
  },
  {
    title: "handles each change of a list separately and in order, including changes of the same counter",
    async check(store) {
      const [first, second] = [freshKey(), freshKey()];
      const states = await store.increment([
        { key: second, by: 5, ...minute },
        { key: first, by: 1, limit: 1, ...minute },
        { key: first, by: 1, limit: 1, ...minute },
        { key: second, by: -1, ...minute },
        { key: second, by: 0, ...minute },
      ]);
      const expected = ["granted at 5", "granted at 1", "refused at 1", "granted at 4", "granted at 4"];
      assert.deepEqual(
        states.map(describe),
        expected,
        "increment must return the state of each change, in the order of the list.",
      );
      assert.deepEqual(await store.increment([]), [], "increment of an empty list must return an empty list.");
    },
  },
  {
    title: "ends a counter at 0, so that the next change begins its own lifetime",
    async check(store, { advance }) {
      const [ended, leased, valued] = [freshKey(), freshKey(), freshKey()];
      for (const key of [ended, leased]) await change(store, { key, by: 2, ttlSeconds: 2 });
      await store.lease(leased, "a", { leaseSeconds: 1, ttlSeconds: 60 });
      for (const key of [ended, leased]) await change(store, { key, by: -1, ttlSeconds: 2 });
      assert.deepEqual(await change(store, { key: ended, by: -1, ...minute }), absent, "A counter must end at 0.");
      assert.deepEqual(await change(store, { key: ended, by: 0, ...minute }), absent, "It must be gone then.");
      await change(store, { key: leased, by: -1, ttlSeconds: 2 });
      assert.equal(await store.settle(leased, "a", "kept", minute), true, "A lease of the same key must live on.");
      await store.put(valued, "kept", minute);
      for (const by of [1, -1]) await change(store, { key: valued, by, ...minute });
      assert.deepEqual(await store.get([valued]), ["kept"], "A value of the same key must live on.");
      const { count, secondsLeft } = await change(store, { key: ended, by: 1, ...minute });
      assert.equal(count, 1, "The counter must begin at 0.");
      assert.ok(secondsLeft > 50, "The new counter must have its own lifetime.");
      await advance(2000);
      assert.equal(
        await outcome(store, { key: ended, by: 0, ...minute }),
        "granted at 1",
        "It must live as long as that.",
      );
    },
  },
  {
    title: "sets a counter to 0 if more is subtracted than it has",
    async check(store) {
      const key = freshKey();
      await change(store, { key, by: 7, ...minute });
      const subtractMax = { key, by: -Number.MAX_SAFE_INTEGER, ...minute };
      assert.equal(await outcome(store, subtractMax), "granted at 0", "A counter must stop at 0.");
      assert.equal(
        await outcome(store, { ...subtractMax, limit: 5 }),
        "granted at 0",
        "A counter of 0 must stay at 0.",
      );
      assert.equal(
        await outcome(store, { key, by: 1, limit: 1, ...minute }),
        "granted at 1",
        "The counter must begin again from 0.",
      );
    },
  },
  {
    title: "counts exactly up to Number.MAX_SAFE_INTEGER, and refuses more",
    async check(store) {
      const [key, other] = [freshKey(), freshKey()];
      const max = Number.MAX_SAFE_INTEGER;
      assert.equal(await outcome(store, { key, by: max - 1, limit: max, ...minute }), `granted at ${max - 1}`);
      assert.equal(
        await outcome(store, { key, by: 2, ...minute }),
        `refused at ${max - 1}`,
        "This exceeds the maximum.",
      );
      assert.equal(await outcome(store, { key, by: max, limit: 1e300, ...minute }), `refused at ${max - 1}`);
      assert.equal(await outcome(store, { key, by: 1, ...minute }), `granted at ${max}`, "This is the maximum.");
      assert.equal(await outcome(store, { key, by: -2, ...minute }), `granted at ${max - 2}`);
      await change(store, { key: other, by: max - 3, ...minute });
      const limited = { key: other, by: 1, limit: max - 2, ...minute };
      assert.equal(await outcome(store, limited), `granted at ${max - 2}`, "A large limit must be exact.");
      assert.equal(await outcome(store, limited), `refused at ${max - 2}`, "A large limit must be exact.");
    },
  },
  {
    title: "ends a counter with put",
    async check(store) {
      const [deleted, replaced] = [freshKey(), freshKey()];
      for (const key of [deleted, replaced]) await change(store, { key, by: 3, ...minute });
      await store.put(deleted, undefined, minute);
      await store.put(replaced, "value", minute);
      assert.deepEqual(await store.get([replaced]), ["value"], "put must replace a counter by a value.");
      await store.put(replaced, undefined, minute);
      for (const key of [deleted, replaced]) {
        assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 1", "put must end a counter.");
      }
    },
  },
];

async function change(store: Store, counterChange: CounterChange): Promise<CounterState> {
  const [state] = await store.increment([counterChange]);
  assert.ok(state, "increment must return the state of each change.");
  return state;
}

async function outcome(store: Store, counterChange: CounterChange): Promise<string> {
  return describe(await change(store, counterChange));
}

function describe({ granted, count }: CounterState): string {
  assert.equal(typeof granted, "boolean", "granted must be true or false.");
  assert.equal(typeof count, "number", "count must be a number, not a text.");
  return `${granted ? "granted" : "refused"} at ${count}`;
}
