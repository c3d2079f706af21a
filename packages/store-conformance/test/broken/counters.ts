import type { CounterChange, Store } from "@doorcode/core/store";
import { type BrokenStore, betweenSteps, counting } from "./broken-store.ts";

const noLimit = Number.MAX_SAFE_INTEGER;

/** Stores with faulty counters. */
export const brokenCounters: readonly BrokenStore[] = [
  {
    fault: "reads a counter and writes it in a second step",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => readAndWrite(store, change)) }),
  },
  {
    fault: "checks the limit, and counts in a second step",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => lookAndCount(store, change)) }),
  },
  {
    fault: "ends an expired window and starts a new one in two steps",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => endAndBegin(store, change)) }),
  },
  {
    fault: "returns counts as texts",
    spoil: counting(unchanged, (answer) => ({ ...answer, count: String(answer.count) as unknown as number })),
  },
  {
    fault: "counts refused changes",
    spoil: (store) => ({
      ...store,
      async increment(changes) {
        const answers = await store.increment(changes.map((change) => ({ ...change, limit: noLimit })));
        return answers.map((answer, index) => ({
          ...answer,
          granted: answer.count <= (changes[index]?.limit ?? noLimit),
        }));
      },
    }),
  },
  {
    fault: "creates a counter by reading it",
    spoil: keeping,
  },
  {
    fault: "counts in 32 bits",
    spoil: counting(unchanged, (answer) => ({ ...answer, count: answer.count | 0 })),
  },
  {
    fault: "refuses to subtract more than the count",
    spoil: (store) => ({
      ...store,
      async increment(changes) {
        const counters = await store.increment(changes.map((change) => ({ ...change, by: 0 })));
        const missing = (change: CounterChange, index: number) => change.by + (counters[index]?.count ?? 0) < 0;
        return store.increment(
          changes.map((change, index) => (missing(change, index) ? { ...change, by: 0 } : change)),
        );
      },
    }),
  },
  {
    fault: "never renews a counter",
    spoil: counting((change) => ({ ...change, renew: false })),
  },
  {
    fault: "keeps counters forever",
    spoil: counting((change) => ({ ...change, ttlSeconds: 1e9 })),
  },
  {
    fault: "counts a list up to a wrong change",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => store.increment([change])) }),
  },
];

function unchanged(change: CounterChange): CounterChange {
  return change;
}

async function inTurn(
  changes: readonly CounterChange[],
  act: (change: CounterChange) => ReturnType<Store["increment"]>,
) {
  const answers = [];
  for (const change of changes) answers.push(...(await act(change)));
  return answers;
}

async function readAndWrite(store: Store, { by, limit = noLimit, ...change }: CounterChange) {
  const [read] = await store.increment([{ ...change, by: 0 }]);
  const sum = (read?.count ?? 0) + by;
  if (sum > limit) return [{ ...answerOf(read), granted: false }];
  await betweenSteps();
  const [now] = await store.increment([{ ...change, by: 0 }]);
  return store.increment([{ ...change, by: sum - (now?.count ?? 0) }]);
}

async function lookAndCount(store: Store, { limit = noLimit, ...change }: CounterChange) {
  const [look] = await store.increment([{ ...change, limit, by: 0 }]);
  if ((look?.count ?? 0) + change.by > limit) return [{ ...answerOf(look), granted: false }];
  await betweenSteps();
  return store.increment([change]);
}

async function endAndBegin(store: Store, change: CounterChange) {
  const [look] = await store.increment([{ ...change, by: 0 }]);
  if (look?.count === 0 && change.by > 0) {
    await betweenSteps();
    await store.put(change.key, undefined, change);
  }
  return store.increment([change]);
}

function answerOf(read: Awaited<ReturnType<Store["increment"]>>[number] | undefined) {
  return read ?? { granted: true, count: 0, secondsLeft: 0 };
}

/** Lets entries live on without a count, as those of a lease do. */
function keeping(store: Store): Store {
  return {
    ...store,
    async increment(changes) {
      for (const { key, ttlSeconds } of changes) await store.lease(key, "keeps", { leaseSeconds: 1, ttlSeconds });
      return store.increment(changes);
    },
  };
}
