import assert from "node:assert/strict";
import type { CounterChange, CounterState, Store } from "../store.ts";
import { freshKey, minute } from "./fresh-key.ts";
import type { StoreCheck } from "./store-check.ts";

const absent: CounterState = { granted: true, count: 0, secondsLeft: 0 };

/** What `increment` promises when nobody races. */
export const counterChecks: readonly StoreCheck[] = [
  {
    title: "counts in numbers, and tells the seconds that are left",
    async check(store) {
      const key = freshKey();
      for (const expected of [1, 2, 3]) {
        const { granted, count, secondsLeft } = await change(store, { key, by: 1, ...minute });
        assert.equal(granted, true, "A change without a limit must be granted.");
        assert.equal(count, expected, "count must be the number of the counter afterwards.");
        assert.equal(typeof secondsLeft, "number", "secondsLeft must be a number.");
        assert.ok(secondsLeft > 50 && secondsLeft <= 60, "secondsLeft must be what is left of ttlSeconds.");
      }
    },
  },
  {
    title: "grants up to the limit and leaves the counter as it is beyond it",
    async check(store) {
      const key = freshKey();
      await change(store, { key, by: 4, limit: 5, ...minute });
      assert.equal(await outcome(store, { key, by: 2, limit: 5, ...minute }), "refused at 4", "4 + 2 exceeds 5.");
      assert.equal(await outcome(store, { key, by: 1, limit: 5, ...minute }), "granted at 5", "4 + 1 is within 5.");
      assert.equal(await outcome(store, { key, by: 1, limit: 5, ...minute }), "refused at 5", "5 + 1 exceeds 5.");
      assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 6", "Without a limit all is granted.");
    },
  },
  {
    title: "creates no counter with a change that is refused",
    async check(store) {
      const key = freshKey();
      const refused = await change(store, { key, by: 1, limit: 0, ...minute });
      assert.deepEqual(refused, { ...absent, granted: false }, "A limit of 0 must refuse the first change.");
    },
  },
  {
    title: "only reads with by: 0, and creates and renews nothing",
    async check(store, { advance }) {
      const [key, never] = [freshKey(), freshKey()];
      assert.deepEqual(
        await change(store, { key: never, by: 0, limit: 5, ...minute }),
        absent,
        "Nothing to read is 0.",
      );
      assert.deepEqual(await change(store, { key: never, by: 0, ...minute }), absent, "ReadContext must not create.");
      await change(store, { key, by: 5, ttlSeconds: 1 });
      assert.equal(await outcome(store, { key, by: 0, limit: 5, ...minute }), "granted at 5", "5 + 0 is within 5.");
      assert.equal(await outcome(store, { key, by: 0, limit: 4, ...minute }), "refused at 5", "5 + 0 exceeds 4.");
      await change(store, { key, by: 0, renew: true, ...minute });
      await advance(1000);
      assert.deepEqual(await change(store, { key, by: 0, ...minute }), absent, "ReadContext must not renew.");
    },
  },
  {
    title: "gives back down to 0 and no further, and creates nothing by giving back",
    async check(store) {
      const [key, never] = [freshKey(), freshKey()];
      await change(store, { key, by: 3, ...minute });
      assert.equal(await outcome(store, { key, by: -1, limit: 3, ...minute }), "granted at 2", "3 - 1 is 2.");
      assert.equal(await outcome(store, { key, by: -5, ...minute }), "granted at 0", "A counter must stop at 0.");
      assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 1", "It must go on from 0.");
      assert.deepEqual(
        await change(store, { key: never, by: -1, ...minute }),
        absent,
        "An absent counter stays absent.",
      );
      assert.deepEqual(await change(store, { key: never, by: 0, ...minute }), absent, "Giving back must not create.");
    },
  },
  {
    title: "forgets a counter when the lifetime that began with it is over",
    async check(store, { advance }) {
      const key = freshKey();
      await change(store, { key, by: 1, ttlSeconds: 3 });
      await advance(1500);
      const { count, secondsLeft } = await change(store, { key, by: 1, ...minute });
      assert.equal(count, 2, "A counter must live for its ttlSeconds.");
      assert.ok(secondsLeft > 0 && secondsLeft <= 2, "secondsLeft must shrink, and later changes must not renew it.");
      await advance(1500);
      assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 1", "The window must begin anew.");
    },
  },
  {
    title: "sets the lifetime of a counter anew with every granted change that renews",
    async check(store, { advance }) {
      const [renewed, refused] = [freshKey(), freshKey()];
      await change(store, { key: renewed, by: 1, ttlSeconds: 1 });
      await change(store, { key: refused, by: 1, ttlSeconds: 1 });
      await change(store, { key: renewed, by: 1, limit: 2, renew: true, ...minute });
      await change(store, { key: refused, by: 1, limit: 1, renew: true, ...minute });
      await advance(1000);
      assert.equal(await outcome(store, { key: renewed, by: 0, ...minute }), "granted at 2", "renew must renew.");
      assert.deepEqual(
        await change(store, { key: refused, by: 0, ...minute }),
        absent,
        "A refused change must not renew.",
      );
    },
  },
  {
    title: "answers a list in its order, each counter on its own, repeated ones one after the other",
    async check(store) {
      const [first, second] = [freshKey(), freshKey()];
      const answers = await store.increment([
        { key: second, by: 5, ...minute },
        { key: first, by: 1, limit: 1, ...minute },
        { key: first, by: 1, limit: 1, ...minute },
        { key: second, by: -1, ...minute },
        { key: second, by: 0, ...minute },
      ]);
      const expected = ["granted at 5", "granted at 1", "refused at 1", "granted at 4", "granted at 4"];
      assert.deepEqual(answers.map(describe), expected, "Each change must be answered at its place in the list.");
      assert.deepEqual(await store.increment([]), [], "An empty list must be answered with an empty list.");
    },
  },
  {
    title: "empties a counter that is given back more than it has, as much as there is",
    async check(store) {
      const key = freshKey();
      await change(store, { key, by: 7, ...minute });
      const most = { key, by: -Number.MAX_SAFE_INTEGER, ...minute };
      assert.equal(await outcome(store, most), "granted at 0", "A counter must stop at 0.");
      assert.equal(await outcome(store, { ...most, limit: 5 }), "granted at 0", "What is empty must stay empty.");
      assert.equal(await outcome(store, { key, by: 1, limit: 1, ...minute }), "granted at 1", "It must go on from 0.");
    },
  },
  {
    title: "counts exactly up to Number.MAX_SAFE_INTEGER, and never beyond",
    async check(store) {
      const [key, other] = [freshKey(), freshKey()];
      const most = Number.MAX_SAFE_INTEGER;
      assert.equal(await outcome(store, { key, by: most - 1, limit: most, ...minute }), `granted at ${most - 1}`);
      assert.equal(await outcome(store, { key, by: 2, ...minute }), `refused at ${most - 1}`, "This is beyond.");
      assert.equal(await outcome(store, { key, by: most, limit: 1e300, ...minute }), `refused at ${most - 1}`);
      assert.equal(await outcome(store, { key, by: 1, ...minute }), `granted at ${most}`, "This is within.");
      assert.equal(await outcome(store, { key, by: -2, ...minute }), `granted at ${most - 2}`);
      await change(store, { key: other, by: most - 3, ...minute });
      const limited = { key: other, by: 1, limit: most - 2, ...minute };
      assert.equal(await outcome(store, limited), `granted at ${most - 2}`, "A large limit must be exact.");
      assert.equal(await outcome(store, limited), `refused at ${most - 2}`, "A large limit must be exact.");
    },
  },
  {
    title: "puts an end to a counter with put",
    async check(store) {
      const [deleted, replaced] = [freshKey(), freshKey()];
      for (const key of [deleted, replaced]) await change(store, { key, by: 3, ...minute });
      await store.put(deleted, undefined, minute);
      await store.put(replaced, "value", minute);
      assert.deepEqual(await store.get([replaced]), ["value"], "put must replace a counter by the value.");
      await store.put(replaced, undefined, minute);
      for (const key of [deleted, replaced]) {
        assert.equal(await outcome(store, { key, by: 1, ...minute }), "granted at 1", "put must end a counter.");
      }
    },
  },
];

async function change(store: Store, increment: CounterChange): Promise<CounterState> {
  const [answer] = await store.increment([increment]);
  assert.ok(answer, "increment must answer each change.");
  return answer;
}

async function outcome(store: Store, increment: CounterChange): Promise<string> {
  return describe(await change(store, increment));
}

function describe({ granted, count }: CounterState): string {
  assert.equal(typeof granted, "boolean", "granted must be true or false.");
  assert.equal(typeof count, "number", "count must be a number, not a text.");
  return `${granted ? "granted" : "refused"} at ${count}`;
}
