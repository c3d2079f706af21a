import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startChild } from "./measure/child.ts";
import { requestOf, sendAll } from "./measure/load.ts";
import { quick } from "./measure/run.ts";
import { Visitor } from "./measure/visitor.ts";
import { type Delivery, headersOf } from "./programs/deliveries.ts";
import { createFastClock } from "./programs/fast-clock.ts";
import { phoneOf } from "./programs/people.ts";
import { startService } from "./programs/service.ts";
import type { SoakSample } from "./programs/soak-app.ts";
import { candidates } from "./stores/candidates.ts";

/**
 * `npm run bench -- soak`: ten minutes of mixed load on one process for each store, with faults all the time: what it holds must not
 * grow. `--minutes N` is shorter or longer, `--only Redis` takes one store. The app's clock runs twenty times as fast, so that what expires after an hour does so
 * many times; counters of a day stay, and so the people are always the same.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: quick ? "0.1" : "10" },
    only: { type: "string" },
    // Those of `npm run bench`, which `quick` reads.
    quick: { type: "boolean" },
    "without-peers": { type: "boolean" },
  },
});
const minutes = Number(values.minutes);
const [faultEverySeconds, faultsPerSample] = quick ? [1, 1] : [5, 3];
const people = 500;
const pauseMilliseconds = 4;

const counts = { logins: 0, guarded: 0, webhooks: 0, hangUps: 0 };

/** What was not answered as it is without faults, by its status or its error. */
const faults = new Map<string, number>();

/** The state of one run: all loads end with `isOver`, and wait while `isPaused`. */
const run = { isOver: false, isPaused: false, working: 0 };

/** Repeats a piece of work until the run is over. A fault is expected, and counted. */
async function repeat(work: () => Promise<void>): Promise<void> {
  while (!run.isOver) {
    await pause(pauseMilliseconds);
    if (run.isPaused) continue;
    run.working += 1;
    await work().catch(countFault);
    run.working -= 1;
  }
}

function countFault({ message }: Error): void {
  const [, code = message.slice(0, 40)] = /"code":"([a-z_]+)"/.exec(message) ?? [];
  faults.set(code, (faults.get(code) ?? 0) + 1);
}

/** Waits until nothing is asked of the app. */
async function rest(): Promise<void> {
  run.isPaused = true;
  while (run.working > 0) await pause(pauseMilliseconds);
  // Connections that were broken are closed by then.
  await pause(500);
}

async function soak(storeName: string): Promise<void> {
  const service = await startService();
  const startMilliseconds = Date.now();
  const clock = createFastClock(startMilliseconds);
  const app = await startChild("programs/soak-app.ts", [service.url, storeName, String(startMilliseconds)]);
  const port = app.hello as number;
  const visitors: Visitor[] = [];
  let next = 0;

  async function logIn(): Promise<void> {
    const person = next++ % people;
    // The same browser each time: a new one would be remembered as another device, for 180 days.
    const visitor = visitors[person] ?? new Visitor(port, person);
    visitors[person] = visitor;
    const phone = phoneOf(person);
    await visitor.post("/login/start", { phone });
    const code = service.lastCodeOf(phone);
    if (person % 5 === 0) await visitor.post("/login/confirm", { code: wrong(code) }).catch(() => undefined);
    await visitor.post("/login/confirm", { code });
    counts.logins += 1;
    const account = { bytes: requestOf("GET", "/account", { cookie: visitor.cookie }), status: 200 };
    await sendAll(port, [account, account, account]);
    counts.guarded += 3;
    await visitor.post("/login/logout", {});
  }

  async function deliver(): Promise<void> {
    const delivery = createUpdate(next++ % people, clock.now());
    const forged = Buffer.from(delivery.body.toString().replace("pending", "approved"));
    const bytes = requestOf("POST", "/webhooks", headersOf(delivery), delivery.body);
    const forgedBytes = requestOf("POST", "/webhooks", headersOf(delivery), forged);
    await sendAll(port, [{ bytes: forgedBytes, status: 401 }]);
    await sendAll(port, [
      { bytes, status: 204 },
      { bytes, status: 204 },
    ]);
    counts.webhooks += 3;
  }

  /** Sends half of a delivery, and hangs up. */
  async function hangUp(): Promise<void> {
    const delivery = createUpdate(0, clock.now());
    const bytes = requestOf("POST", "/webhooks", headersOf(delivery), delivery.body);
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.write(bytes.subarray(0, bytes.length / 2));
    await pause(20);
    socket.destroy();
    counts.hangUps += 1;
  }

  /** Lets the service, and the connections of the store, fail for a moment. */
  async function breakThings(): Promise<void> {
    service.fail(true);
    await pause(500);
    service.fail(false);
    if (storeName !== "memory") await app.ask("break connections");
  }

  run.isOver = false;
  const samples: SoakSample[] = [];
  const works = [logIn, logIn, logIn, logIn, deliver, deliver, deliver, deliver, hangUp];
  const working = works.map(repeat);
  const end = startMilliseconds + minutes * 60_000;
  while (Date.now() < end) {
    run.isPaused = false;
    for (let fault = 0; fault < faultsPerSample; fault++) {
      await pause(faultEverySeconds * 1000);
      await breakThings();
    }
    await rest();
    const sample = (await app.ask("sample")) as SoakSample;
    samples.push(sample);
    print(storeName, (Date.now() - startMilliseconds) / 1000, sample);
  }
  run.isOver = true;
  await Promise.all(working);
  await app.close();
  await service.close();
  process.stdout.write(`${storeName}: ${summary(samples)}\n`);
  for (const warning of new Set(samples.at(-1)?.warnings)) process.stdout.write(`warning: ${warning}\n`);
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

function print(storeName: string, seconds: number, { heapBytes, residentBytes, handles, warnings }: SoakSample): void {
  const list = (counted: Iterable<readonly [string, number]>) =>
    [...counted].map(([what, count]) => `${count} ${what}`).join(", ");
  process.stdout.write(
    `${storeName} after ${Math.round(seconds)} s: heap ${megabytes(heapBytes)} MB, resident ${megabytes(residentBytes)} MB; ` +
      `${list(Object.entries(handles))}; ${list(Object.entries(counts))}; faults: ${list(faults)}; ` +
      `${warnings.length} warnings\n`,
  );
}

/** Compares the last third with the third before it: by then everything that expires has done so. */
function summary(samples: readonly SoakSample[]): string {
  if (samples.length < 3) return "too short to compare its thirds";
  const third = Math.floor(samples.length / 3);
  const median = (of: readonly SoakSample[]) =>
    of.map(({ heapBytes }) => heapBytes).sort((left, right) => left - right)[Math.floor(of.length / 2)] ?? 0;
  const [before, last] = [median(samples.slice(-2 * third, -third)), median(samples.slice(-third))];
  return `heap ${megabytes(before)} MB in the second third, ${megabytes(last)} MB in the last`;
}

/** Creates the next event of one of the verifications, which are always the same. */
function createUpdate(index: number, nowMilliseconds: number): Delivery {
  const updated_at = new Date(nowMilliseconds).toISOString();
  const data = {
    verification_id: `ver_${index}`,
    status: "pending",
    channel: "SMS",
    updated_at,
    note: "n".repeat(800),
  };
  const body = Buffer.from(JSON.stringify({ event: "verification.update", data }));
  return { body, timestamp: String(Math.floor(nowMilliseconds / 1000)) };
}

/** Returns a code of the same length that is not the right one. */
function wrong(code: string): string {
  return code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
}

if (!(minutes > 0 && minutes <= 60)) throw new Error("--minutes: expected a number of minutes up to 60.");
for (const storeName of Object.keys(candidates)) {
  if (values.only !== undefined && values.only !== storeName) continue;
  Object.assign(counts, { logins: 0, guarded: 0, webhooks: 0, hangUps: 0 });
  faults.clear();
  await soak(storeName);
}
