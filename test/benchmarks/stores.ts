import type { Store } from "@doorcode/core/store";
import { type Candidate, candidates, type PendingLogin } from "./stores/candidates.ts";
import { createDriver, type Driver } from "./stores/driver.ts";
import { createCountingStore } from "./stores/trips.ts";

/**
 * What a login costs on each store that this machine has. Every loop is bounded; the figures are of this machine, on this
 * day, with the store beside the app, no network between them, and a service that answers at once. With `--quick` it only
 * shows that it works.
 */
const quick = process.argv.includes("--quick");
const sizes = quick ? [100, 1000] : [1000, 10_000, 100_000, 1_000_000];

const warmUps = quick ? 1 : 100;
const samples = quick ? 5 : 300;
const rounds = quick ? 1 : 5;
const loginsPerRound = quick ? 20 : 400;
const atOnce = 32;

const print = (line: string) => process.stdout.write(`${line}\n`);

function median(figures: readonly number[]): number {
  return figures.toSorted((left, right) => left - right)[Math.floor(figures.length / 2)] ?? 0;
}

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

async function printThroughput({ store }: Candidate): Promise<void> {
  const driver = createDriver(store);
  const perSecond: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    let left = loginsPerRound;
    const one = async () => {
      while (left-- > 0) await logIn(driver);
    };
    const took = await milliseconds(() => Promise.all(Array.from({ length: atOnce }, one)));
    // The first round warms up.
    if (round > 0) perSecond.push((loginsPerRound / took) * 1000);
  }
  const slowest = grouped(Math.min(...perSecond));
  print(`  logins per second, ${atOnce} at once: ${grouped(median(perSecond))} (slowest round ${slowest})`);
}

async function printGrowth(candidate: Candidate): Promise<void> {
  const driver = createDriver(candidate.store);
  const login = await recordPending(candidate.store);
  for (let warmUp = 0; warmUp < warmUps; warmUp++) await logIn(driver);
  print(`  ${"pending".padStart(9)}  ${"start".padStart(9)}  ${"confirm".padStart(9)}  bytes per pending login`);

  let filled = 0;
  for (const size of sizes) {
    const before = await candidate.bytes();
    await candidate.multiply(login, filled, size);
    const bytes = ((await candidate.bytes()) - before) / (size - filled);
    filled = size;
    const [starts, confirms]: [number[], number[]] = [[], []];
    for (let sample = 0; sample < samples; sample++) {
      const visitor = driver.visitor();
      starts.push(await milliseconds(() => driver.start(visitor)));
      confirms.push(await milliseconds(() => driver.confirm(visitor)));
    }
    const figures = [grouped(size), shown(median(starts)), shown(median(confirms))].map((text) => text.padStart(9));
    print(`  ${figures.join("  ")}  ${grouped(bytes)}`);
  }
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
      counters.push(...changes);
      return inner.increment(changes);
    },
  });
  await driver.start(driver.visitor());
  return { values: [...values.values()], counters };
}

for (const open of Object.values(candidates)) {
  const candidate = await open();
  if ("missing" in candidate) {
    print(candidate.missing);
    continue;
  }
  print(candidate.name);
  try {
    await printTrips(candidate);
    await printThroughput(candidate);
    await printGrowth(candidate);
  } finally {
    await candidate.close();
  }
}
