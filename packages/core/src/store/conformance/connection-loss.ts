import assert from "node:assert/strict";
import type { Store } from "../store.ts";
import { freshKey, long, minute } from "./fresh-key.ts";
import type { ConnectionLossTools, StoreCheck } from "./store-check.ts";
import { goOn, putSteady, settles } from "./wire.ts";

const rounds = [1, 2, 3];

/** What stays true when the connection between a store and its server is lost. */
export const connectionLossChecks: readonly StoreCheck<ConnectionLossTools>[] = [
  {
    title: "rejects each verb while the connection is down, in time, and sends nothing of it later",
    check: (store, tools) =>
      restoring(tools, async () => {
        const [steady, keys] = [await putSteady(store), await putEntries(store)];
        await tools.connection.cut();
        const outcomes = await Promise.all(verbsOn(store, keys).map((verb) => settles(verb, tools)));
        assert.ok(outcomes.every(isRejected), "A verb must reject that has no connection.");
        await goOn(store, steady, tools);
        assert.equal(await countOf(store, keys.counter), 1, "A change that was rejected must not be made later.");
        assert.deepEqual(await store.get([keys.value]), ["before"], "What was rejected must not be put later.");
        assert.equal(await isFree(store, keys.free), true, "A lease that was rejected must not be taken later.");
        const settled = await store.settle(keys.leased, "a", "after", minute);
        assert.equal(settled, true, "What was rejected must not be settled later.");
      }),
  },
  {
    title: "rejects each verb that is not answered, in time, and takes a late answer for no other's",
    check: (store, tools) =>
      restoring(tools, async () => {
        const [steady, keys] = [await putSteady(store), await putEntries(store)];
        await tools.connection.holdAnswers();
        const outcomes = await Promise.all(verbsOn(store, keys).map((verb) => settles(verb, tools)));
        assert.ok(outcomes.every(isRejected), "A verb must reject that has no answer in time.");
        await goOn(store, steady, tools);
        const count = Number(await countOf(store, keys.counter));
        assert.ok(count === 1 || count === 2, "A change that was not answered must be made at most once.");
        const [value] = await store.get([keys.value]);
        assert.ok(value === "before" || value === "after", "A value must be put whole or not at all.");
      }),
  },
  {
    title: "changes each counter at most once when the answer is lost",
    check: (store, tools) =>
      restoring(tools, async () => {
        const [steady, key, other] = [await putSteady(store), freshKey(), freshKey()];
        const changes = [key, other].map((name) => ({ key: name, by: 1, ...minute }));
        const warm = await store.increment(changes);
        let before = warm.map(({ count }) => count);
        for (const _ of rounds) {
          await tools.connection.loseAnswer();
          const outcome = await settles(() => store.increment(changes), tools);
          await goOn(store, steady, tools);
          const after = (await store.increment(changes.map((change) => ({ ...change, by: 0 })))).map(
            ({ count }) => count,
          );
          const changed = after.map((count, index) => count - Number(before[index]));
          assert.ok(
            changed.every((by) => by === 0 || by === 1),
            "A change whose answer was lost must be made once or not at all.",
          );
          const told = isRejected(outcome) ? after : outcome.value.map(({ count }) => count);
          assert.deepEqual(told, after, "What is answered in spite of it must be what stands.");
          before = after;
        }
      }),
  },
  {
    title: "puts, leases and settles as a whole or not at all when the answer is lost",
    check: (store, tools) =>
      restoring(tools, async () => {
        const [steady, { leased, free, value }] = [await putSteady(store), await putEntries(store)];
        await tools.connection.loseAnswer();
        const lease = await settles(() => store.lease(free, "b", long), tools);
        await goOn(store, steady, tools);
        assert.ok(isRejected(lease) || lease.value.held, "A free key must be held.");
        assert.equal((await store.lease(free, "b", long)).held, true, "The same token must take the key or renew it.");

        await tools.connection.loseAnswer();
        const settle = await settles(() => store.settle(leased, "a", "settled", minute), tools);
        await goOn(store, steady, tools);
        const settled = (await store.get([leased]))[0] === "settled";
        assert.ok(isRejected(settle) || settle.value === settled, "What is answered must be what stands.");
        const again = await store.settle(leased, "a", "again", minute);
        assert.equal(again, !settled, "The lease must end with the value that is settled.");

        await store.lease(value, "a", long);
        await tools.connection.loseAnswer();
        const put = await settles(() => store.put(value, "put", minute), tools);
        await goOn(store, steady, tools);
        const written = (await store.get([value]))[0] === "put";
        assert.ok(isRejected(put) || written, "What is answered must be what stands.");
        const late = await store.settle(value, "a", "late", minute);
        assert.equal(late, !written, "The lease must end with the value that is put.");
      }),
  },
  {
    title: "goes on by itself when the connection is back, as often as it is lost",
    check: (store, tools) =>
      restoring(tools, async () => {
        const [steady, counter] = [await putSteady(store), freshKey()];
        for (const round of rounds) {
          await tools.connection.cut();
          assert.ok(
            isRejected(await settles(() => store.get(steady), tools)),
            "A verb must reject without connection.",
          );
          await goOn(store, steady, tools);
          const [counted] = await store.increment([{ key: counter, by: 1, ...minute }]);
          assert.equal(counted?.count, round, "What is done after the loss must be done once.");
        }
      }),
  },
];

/** Leaves the connection whole for the next check. */
async function restoring({ connection }: ConnectionLossTools, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } finally {
    await connection.restore();
  }
}

interface Entries {
  readonly counter: string;
  readonly value: string;
  readonly leased: string;
  readonly free: string;
}

/** Makes an entry for each verb, and lets each verb run once: what a server is taught at first is taught. */
async function putEntries(store: Store): Promise<Entries> {
  const [counter, value, leased, free] = [freshKey(), freshKey(), freshKey(), freshKey()];
  await store.increment([{ key: counter, by: 1, ...minute }]);
  await store.put(value, "before", minute);
  for (const key of [leased, free]) {
    await store.lease(key, "a", long);
    await store.settle(key, "a", "before", { ...minute, hold: key === leased });
  }
  return { counter, value, leased, free };
}

function verbsOn(store: Store, { counter, value, leased, free }: Entries): readonly (() => Promise<unknown>)[] {
  return [
    () => store.get([value]),
    () => store.increment([{ key: counter, by: 1, ...minute }]),
    () => store.put(value, "after", minute),
    () => store.lease(free, "late", long),
    () => store.settle(leased, "a", "late", minute),
  ];
}

function isRejected(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return outcome.status === "rejected";
}

async function countOf(store: Store, key: string): Promise<number | undefined> {
  const [counter] = await store.increment([{ key, by: 0, ...minute }]);
  return counter?.count;
}

async function isFree(store: Store, key: string): Promise<boolean> {
  return (await store.lease(key, "b", long)).held;
}
