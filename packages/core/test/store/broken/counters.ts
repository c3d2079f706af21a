import type { CounterChange, Store } from "../../../src/store/store.ts";
import { type BrokenStore, betweenSteps, counting } from "./broken-store.ts";

const noLimit = Number.MAX_SAFE_INTEGER;

/** Counters that are wrong. */
export const brokenCounters: readonly BrokenStore[] = [
  {
    fault: "reads a counter and writes it in a second step",
    noticedBy: "loses no increment when two hundred race without a limit, and takes back as many",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => readAndWrite(store, change)) }),
  },
  {
    fault: "looks at the limit, and counts in a second step",
    noticedBy: "grants exactly the limit when two hundred increments race",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => lookAndCount(store, change)) }),
  },
  {
    fault: "ends a window that is over and begins it anew in two steps",
    noticedBy: "begins a window anew once when two hundred find it over",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => endAndBegin(store, change)) }),
  },
  {
    fault: "answers counts as texts",
    noticedBy: "counts in numbers, and tells the seconds that are left",
    spoil: counting(unchanged, (answer) => ({ ...answer, count: String(answer.count) as unknown as number })),
  },
  {
    fault: "tells what is left in milliseconds",
    noticedBy: "counts in numbers, and tells the seconds that are left",
    spoil: counting(unchanged, (answer) => ({ ...answer, secondsLeft: answer.secondsLeft * 1000 })),
  },
  {
    fault: "counts what it refuses",
    noticedBy: "grants up to the limit and leaves the counter as it is beyond it",
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
    noticedBy: "only reads with by: 0, and creates and renews nothing",
    spoil: (store) => ({
      ...store,
      async increment(changes) {
        for (const change of changes)
          await store.increment([
            { ...change, by: 1 },
            { ...change, by: -1 },
          ]);
        return store.increment(changes);
      },
    }),
  },
  {
    fault: "counts in 32 bits",
    noticedBy: "counts exactly up to Number.MAX_SAFE_INTEGER, and never beyond",
    spoil: counting(unchanged, (answer) => ({ ...answer, count: answer.count | 0 })),
  },
  {
    fault: "refuses to take back more than there is",
    noticedBy: "empties a counter that is given back more than it has, as much as there is",
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
    fault: "renews a counter with every change",
    noticedBy: "forgets a counter when the lifetime that began with it is over",
    spoil: counting((change) => ({ ...change, renew: true })),
  },
  {
    fault: "never renews a counter",
    noticedBy: "sets the lifetime of a counter anew with every granted change that renews",
    spoil: counting((change) => ({ ...change, renew: false })),
  },
  {
    fault: "keeps counters for ever",
    noticedBy: "forgets a counter when the lifetime that began with it is over",
    spoil: counting((change) => ({ ...change, ttlSeconds: 1e9 })),
  },
  {
    fault: "answers a list in another order",
    noticedBy: "answers a list in its order, each counter on its own, repeated ones one after the other",
    spoil: (store) => ({
      ...store,
      increment: (changes) => store.increment(changes.toSorted((left, right) => left.by - right.by)),
    }),
  },
  {
    fault: "counts a list until it comes to a wrong change",
    noticedBy:
      "refuses to count by what is no whole number or up to what is no number, and changes nothing of the list",
    spoil: (store) => ({ ...store, increment: (changes) => inTurn(changes, (change) => store.increment([change])) }),
  },
  {
    fault: "leaves the counter when it deletes",
    noticedBy: "puts an end to a counter with put",
    spoil: (store) => ({
      ...store,
      async put(key, value, options) {
        const [counter] = await store.increment([{ key, by: 0, ...options }]);
        await store.put(key, value, options);
        await store.increment([{ key, by: counter?.count ?? 0, ...options }]);
      },
    }),
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
