import { setTimeout as pause } from "node:timers/promises";
import { type Child, startChild } from "./measure/child.ts";
import { usageQuestion } from "./measure/program.ts";
import { quick } from "./measure/run.ts";
import { spreadOf } from "./measure/statistics.ts";
import type { ScalingCounts } from "./programs/scaling-app.ts";
import { startService } from "./programs/service.ts";
import { createLoad, type Load } from "./scaling/operations.ts";
import { type ServerUsage, type StoreServer, storeServers } from "./scaling/store-server.ts";

/**
 * `npm run bench -- scaling`: what one operation costs the process of the app and the server of its store, over HTTP on Express. CPU time
 * of both, read from the system, is the median of all rounds; the other figures are means.
 */
const rounds = quick ? 1 : 15;
const warmUps = quick ? 0 : 4;
const perRound = quick ? 8 : 64;
const [waitingPages, waitSeconds] = quick ? [8, 1] : [300, 20];
/** By then what goes on after an answer is done. */
const settleMilliseconds = 100;

type Usage = ServerUsage & ScalingCounts & { readonly nodeMicroseconds: number };

interface Measuring {
  readonly app: Child;
  readonly server: StoreServer;
}

async function usageOf({ app, server }: Measuring): Promise<Usage> {
  await pause(settleMilliseconds);
  const nodeMicroseconds = (await app.ask(usageQuestion)) as number;
  const counts = (await app.ask("counts")) as ScalingCounts;
  return { nodeMicroseconds, ...counts, ...(await server.usage()) };
}

/** Returns what each of so many operations has used. */
async function measure(measuring: Measuring, count: number, work: () => Promise<void>): Promise<Usage> {
  const before = await usageOf(measuring);
  await work();
  const after = await usageOf(measuring);
  const each = (name: keyof Usage) => (after[name] - before[name]) / count;
  return {
    nodeMicroseconds: each("nodeMicroseconds"),
    cpuMicroseconds: each("cpuMicroseconds"),
    statements: each("statements"),
    scripts: each("scripts"),
    commands: each("commands"),
    logBytes: each("logBytes"),
    heldBytes: each("heldBytes"),
    handled: each("handled"),
  };
}

/** The operations in their order, with how many of each a round has. A store in memory has no inbox. */
function operationsOf(load: Load, app: Child, hasInbox: boolean) {
  const many = 4 * perRound;
  async function deliverAndHandle(): Promise<void> {
    const handled = async () => ((await app.ask("counts")) as ScalingCounts).handled;
    const end = (await handled()) + many;
    await load.deliver("/later", many);
    while ((await handled()) < end) await pause(5);
  }
  async function logInOneByOne(): Promise<void> {
    for (let login = 0; login < perRound; login++) {
      await load.start(1);
      await load.confirm();
    }
  }
  return [
    { name: "start", count: perRound, work: () => load.start(perRound) },
    { name: "state while a code is under way", count: many, work: () => load.state(many) },
    { name: "confirm", count: perRound, work: () => load.confirm() },
    { name: "guarded request", count: many, work: () => load.guarded(many) },
    { name: "webhook", count: many, work: () => load.deliver("/webhooks", many) },
    { name: "start, all in one wide block", count: perRound, work: () => load.start(perRound, "wide block") },
    { name: "confirm, all in one wide block", count: perRound, work: () => load.confirm() },
    { name: "login, one after the other", count: perRound, work: logInOneByOne },
    ...(hasInbox ? [{ name: "webhook through the inbox", count: many, work: deliverAndHandle }] : []),
  ];
}

const titles = ["operation", "Node µs", "store µs", "scripts", "commands", "statements", "log bytes", "bytes left"];
const widths = [34, 18, 18, 9, 9, 11, 10, 11];

function print(cells: readonly string[]): void {
  const padded = cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(widths[index] ?? 0)));
  process.stdout.write(`${padded.join(" ").trimEnd()}\n`);
}

function printOperation(name: string, usages: readonly Usage[]): void {
  const mean = (of: keyof Usage) => usages.reduce((total, usage) => total + usage[of], 0) / usages.length;
  const shownMedian = (of: keyof Usage) => {
    const { median, lower, upper } = spreadOf(usages.map((usage) => usage[of]));
    return `${Math.round(median)} (${Math.round(lower)}–${Math.round(upper)})`;
  };
  const counts = (["scripts", "commands", "statements"] as const).map((of) => mean(of).toFixed(2));
  const bytes = (["logBytes", "heldBytes"] as const).map((of) => Math.round(mean(of)).toString());
  print([name, shownMedian("nodeMicroseconds"), shownMedian("cpuMicroseconds"), ...counts, ...bytes]);
}

async function measureStore(storeName: string, server: StoreServer): Promise<void> {
  const service = await startService();
  const app = await startChild("programs/scaling-app.ts", [service.url, storeName, server.url]);
  const load = createLoad(app.hello as number, service);
  const measuring = { app, server };
  const measured = operationsOf(load, app, storeName !== "memory").map((one) => ({ ...one, usages: [] as Usage[] }));
  try {
    for (let round = -warmUps; round < rounds; round++) {
      for (const { count, work, usages } of measured) {
        const usage = await measure(measuring, count, work);
        if (round >= 0) usages.push(usage);
      }
    }
    process.stdout.write(`${storeName}\n`);
    print(titles);
    for (const { name, usages } of measured) printOperation(name, usages);
    await printKinds(server);
    await printWaiting(measuring, load);
  } finally {
    await app.close();
    await service.close();
  }
}

/** Prints what has been left in the store, and for how long. */
async function printKinds(server: StoreServer): Promise<void> {
  for (const { kind, entries, bytes, secondsLeft } of (await server.kinds?.()) ?? []) {
    process.stdout.write(
      `${kind.padEnd(44)} ${String(entries).padStart(7)} entries ${String(Math.round(bytes / entries)).padStart(7)} bytes each, at most ${secondsLeft} s\n`,
    );
  }
}

/** Prints what a second of a page costs that waits, besides its request. */
async function printWaiting(measuring: Measuring, load: Load): Promise<void> {
  await load.start(waitingPages);
  await load.wait(0);
  const short = await measure(measuring, waitingPages, () => load.wait(0));
  const long = await measure(measuring, waitingPages, () => load.wait(waitSeconds));
  const more = (of: keyof Usage) => ((long[of] - short[of]) / waitSeconds).toFixed(2);
  const cells = (["nodeMicroseconds", "cpuMicroseconds", "scripts", "commands", "statements"] as const).map(more);
  print(["a second of a page that waits", ...cells]);
}

for (const [storeName, open] of Object.entries(storeServers)) {
  const server = await open();
  if (server) await measureStore(storeName, server).finally(() => server.close());
  else process.stdout.write(`${storeName}: this machine cannot start one, or does not show its CPU time.\n`);
}
