import assert from "node:assert/strict";
import type { Store } from "@doorcode/core/store";
import { putProbes, recover, settleInTime } from "./connection.ts";
import { countOf, freshKey, longLease, minute } from "./fresh-key.ts";
import type { ConnectionLossTools, StoreCheck } from "./store-check.ts";

const rounds = [1, 2, 3];

/** The checks of a store whose connection to its server is lost. */
export const connectionLossChecks: readonly StoreCheck<ConnectionLossTools>[] = [
  {
    title: "rejects each call in time while the connection is down, and does not send it later",
    check: (store, tools) =>
      withRestore(tools, async () => {
        const [probes, keys] = [await putProbes(store), await putEntries(store)];
        await tools.connection.cut();
        const outcomes = await Promise.all(callsOn(store, keys).map((call) => settleInTime(call, tools)));
        assert.ok(outcomes.every(isRejected), "A call without a connection must reject.");
        await recover(store, probes, tools);
        assert.equal(await countOf(store, keys.counter), 1, "A rejected increment must not be made later.");
        assert.deepEqual(await store.get([keys.value]), ["before"], "A rejected put must not be made later.");
        assert.equal(await isFree(store, keys.free), true, "A rejected lease must not be taken later.");
        const settled = await store.settle(keys.leased, "a", "after", minute);
        assert.equal(settled, true, "A rejected settle must not be made later.");
      }),
  },
  {
    title: "rejects each call without an answer in time, and never takes a late answer for another call's",
    check: (store, tools) =>
      withRestore(tools, async () => {
        const [probes, keys] = [await putProbes(store), await putEntries(store)];
        await tools.connection.holdAnswers();
        const outcomes = await Promise.all(callsOn(store, keys).map((call) => settleInTime(call, tools)));
        assert.ok(outcomes.every(isRejected), "A call without an answer in time must reject.");
        await recover(store, probes, tools);
        const count = Number(await countOf(store, keys.counter));
        assert.ok(count === 1 || count === 2, "A change without an answer must be made at most once.");
        const [value] = await store.get([keys.value]);
        assert.ok(value === "before" || value === "after", "A value must be put completely or not at all.");
      }),
  },
  {
    title: "changes each counter at most once if the answer is lost",
    check: (store, tools) =>
      withRestore(tools, async () => {
        const [probes, key, other] = [await putProbes(store), freshKey(), freshKey()];
        const changes = [key, other].map((name) => ({ key: name, by: 1, ...minute }));
        const first = await store.increment(changes);
        let before = first.map(({ count }) => count);
        for (const _ of rounds) {
          await tools.connection.loseAnswer();
          const outcome = await settleInTime(() => store.increment(changes), tools);
          await recover(store, probes, tools);
          const after = (await store.increment(changes.map((change) => ({ ...change, by: 0 })))).map(
            ({ count }) => count,
          );
          const changed = after.map((count, index) => count - Number(before[index]));
          assert.ok(
            changed.every((by) => by === 0 || by === 1),
            "A change whose answer is lost must be made once or not at all.",
          );
          const returned = isRejected(outcome) ? after : outcome.value.map(({ count }) => count);
          assert.deepEqual(returned, after, "A returned count must be the stored one.");
          before = after;
        }
      }),
  },
  {
    title: "puts, leases and settles completely or not at all if the answer is lost",
    check: (store, tools) =>
      withRestore(tools, async () => {
        const [probes, { leased, free, value }] = [await putProbes(store), await putEntries(store)];
        await tools.connection.loseAnswer();
        const lease = await settleInTime(() => store.lease(free, "b", longLease), tools);
        await recover(store, probes, tools);
        assert.ok(isRejected(lease) || lease.value.held, "A free key must be leased.");
        assert.equal(
          (await store.lease(free, "b", longLease)).held,
          true,
          "The same token must take or renew the lease.",
        );

        await tools.connection.loseAnswer();
        const settle = await settleInTime(() => store.settle(leased, "a", "settled", minute), tools);
        await recover(store, probes, tools);
        const settled = (await store.get([leased]))[0] === "settled";
        assert.ok(isRejected(settle) || settle.value === settled, "The result of settle must match the stored value.");
        const again = await store.settle(leased, "a", "again", minute);
        assert.equal(again, !settled, "The lease must end exactly if the value is settled.");

        await store.lease(value, "a", longLease);
        await tools.connection.loseAnswer();
        const put = await settleInTime(() => store.put(value, "put", minute), tools);
        await recover(store, probes, tools);
        const written = (await store.get([value]))[0] === "put";
        assert.ok(isRejected(put) || written, "A put that resolves must be stored.");
        const late = await store.settle(value, "a", "late", minute);
        assert.equal(late, !written, "The lease must end exactly if the value is put.");
      }),
  },
  {
    title: "recovers by itself when the connection is back, each time it is lost",
    check: (store, tools) =>
      withRestore(tools, async () => {
        const [probes, counter] = [await putProbes(store), freshKey()];
        for (const round of rounds) {
          await tools.connection.cut();
          assert.ok(
            isRejected(await settleInTime(() => store.get(probes), tools)),
            "A call without a connection must reject.",
          );
          await recover(store, probes, tools);
          const [counted] = await store.increment([{ key: counter, by: 1, ...minute }]);
          assert.equal(counted?.count, round, "A change after the loss must be made once.");
        }
      }),
  },
];

/** Runs a check and restores the connection afterwards, for the next one. */
async function withRestore({ connection }: ConnectionLossTools, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } finally {
    await connection.restore();
  }
}

/** The keys of the entries that a check changes. */
interface EntryKeys {
  readonly counter: string;
  readonly value: string;
  readonly leased: string;
  readonly free: string;
}

/** Creates an entry for each function. Calls each once, so that the server has its scripts before the fault. */
async function putEntries(store: Store): Promise<EntryKeys> {
  const [counter, value, leased, free] = [freshKey(), freshKey(), freshKey(), freshKey()];
  await store.increment([{ key: counter, by: 1, ...minute }]);
  await store.put(value, "before", minute);
  for (const key of [leased, free]) {
    await store.lease(key, "a", longLease);
    await store.settle(key, "a", "before", { ...minute, hold: key === leased });
  }
  return { counter, value, leased, free };
}

/** Returns a call of each function. */
function callsOn(store: Store, { counter, value, leased, free }: EntryKeys): readonly (() => Promise<unknown>)[] {
  return [
    () => store.get([value]),
    () => store.increment([{ key: counter, by: 1, ...minute }]),
    () => store.put(value, "after", minute),
    () => store.lease(free, "late", longLease),
    () => store.settle(leased, "a", "late", minute),
  ];
}

function isRejected(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return outcome.status === "rejected";
}

async function isFree(store: Store, key: string): Promise<boolean> {
  return (await store.lease(key, "b", longLease)).held;
}
