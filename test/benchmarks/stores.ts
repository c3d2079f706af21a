import type { Store } from "@doorcode/core/store";
import { startOperations } from "./measure/operations-subject.ts";
import { before, measureRow, quick, report } from "./measure/run.ts";
import { spreadOf } from "./measure/statistics.ts";
import type { Role, StartSubject } from "./measure/subject.ts";
import { type Candidate, candidates, hasRedis, type PendingLogin } from "./stores/candidates.ts";
import { createDriver, type Driver } from "./stores/driver.ts";
import { createCountingStore } from "./stores/trips.ts";

/**
 * What a login costs on each store that this machine has. Every loop is bounded; the figures are of this machine, on this
 * day, with the store beside the app, no network between them, and a service that answers at once. With `--quick` it only
 * shows that it works.
 */
const sizes = quick ? [100, 1000] : [1000, 10_000, 100_000, 1_000_000];

const warmUps = quick ? 1 : 500;
const samples = quick ? 5 : 150;

const print = (line: string) => process.stdout.write(`${line}\n`);

const median = (figures: readonly number[]) => spreadOf(figures).median;

const shown = (milliseconds: number) => `${milliseconds.toFixed(milliseconds < 1 ? 3 : 2)} ms`;
const grouped = (figure: number) => Math.round(figure).toLocaleString("en");

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Prints the calls of the store, and the round trips if calls that are made at once travel together. */
async function printTrips({ store }: Candidate): Promise<void> {
  const counting = createCountingStore(store);
  const driver = createDriver(counting.store);
  const visitor = driver.visitor();
  // What a store does only once is done now: scripts are loaded, and connections are open.
  await logIn(driver);
  const requests = ["start", "state", "confirmWrong", "confirm", "guarded"] as const;
  for (const request of requests) {
    const { trips, calls } = await counting.count(() => driver[request](visitor));
    print(`  ${request.padEnd(14)} trips ${String(trips).padStart(2)}, calls ${String(calls).padStart(2)}`);
  }
}

async function logIn(driver: Driver): Promise<void> {
  const visitor = driver.visitor();
  await driver.start(visitor);
  await driver.confirm(visitor);
}

/** Prints the times and bytes at each size, and reports the bytes at the largest one, with its time against the smallest one. */
async function printGrowth(candidate: Candidate): Promise<void> {
  const driver = createDriver(candidate.store);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await logIn(driver);
  print(`  ${"pending".padStart(9)}  ${"start".padStart(9)}  ${"confirm".padStart(9)}  bytes per pending login`);

  let filled = 0;
  let bytesEach = 0;
  const times: number[] = [];
  for (const size of sizes) {
    // Each time anew: the logins that are completed below take away what an earlier one has added to counters that they share.
    const login = await recordPending(candidate.store);
    const before = await candidate.bytes();
    await candidate.multiply(login, filled, size);
    bytesEach = ((await candidate.bytes()) - before) / (size - filled);
    filled = size;
    const [starts, confirms]: [number[], number[]] = [[], []];
    for (let sample = 0; sample < samples; sample++) {
      const visitor = driver.visitor();
      starts.push(await milliseconds(() => driver.start(visitor)));
      confirms.push(await milliseconds(() => driver.confirm(visitor)));
    }
    // The faster ones: other work of the machine makes the slower ones slow.
    times.push(spreadOf(starts).lower + spreadOf(confirms).lower);
    const figures = [grouped(size), shown(median(starts)), shown(median(confirms))].map((text) => text.padStart(9));
    print(`  ${figures.join("  ")}  ${grouped(bytesEach)}`);
  }
  const growth = (times.at(-1) ?? Number.NaN) / (times[0] ?? Number.NaN);
  const value = `${grouped(bytesEach)} bytes, ${growth.toFixed(2)} × the time`;
  report([{ row: "pending logins", subject: candidate.name, role: "doorcode", value }]);
}

/** Starts a login and notes what it writes. */
async function recordPending(inner: Store): Promise<PendingLogin> {
  const values = new Map<string, PendingLogin["values"][number]>();
  const counters: PendingLogin["counters"][number][] = [];
  const driver = createDriver({
    ...inner,
    put(key, value, { ttlSeconds }) {
      if (value !== undefined) values.set(key, { key, value, ttlSeconds });
      return inner.put(key, value, { ttlSeconds });
    },
    increment(changes) {
      // What is only read leaves nothing.
      counters.push(...changes.filter(({ by }) => by !== 0));
      return inner.increment(changes);
    },
  });
  await driver.start(driver.visitor());
  return { values: [...values.values()], counters };
}

/** @param root - the checkout whose kit runs, unless the row asks for another one. Default: this one. */
function start(name: string, role: Role, store: string, root?: string): StartSubject {
  const program = "programs/store-logins.ts";
  return (checkout = root) => startOperations({ name, role, program, words: [store], checkout });
}

await measureRow(
  "logins a second",
  [
    start("memory", "limit", "memory"),
    start("memory, again", "noise", "memory"),
    // The limit is the kit too: a faster one makes the same store look slower.
    ...(before === undefined ? [] : [start("memory, before", "before", "memory", before)]),
    ...(hasRedis
      ? [start("memory, and a PING of Redis for each trip", "reference", "asking"), start("Redis", "doorcode", "Redis")]
      : []),
    start("PostgreSQL", "doorcode", "PostgreSQL"),
  ],
  // Many short turns instead of a few long ones: the clock shows what else the machine does, and only turns that are close to each
  // other see the same of it.
  { by: "wallMicroseconds", warmUpCpuMilliseconds: 1500, rounds: 45, sampleCpuMilliseconds: 70 },
);

for (const open of Object.values(candidates)) {
  const candidate = await open();
  if ("missing" in candidate) {
    print(candidate.missing);
    continue;
  }
  print(candidate.name);
  try {
    await printTrips(candidate);
    await printGrowth(candidate);
  } finally {
    await candidate.close();
  }
}
