import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findPostgres } from "../support/postgres-server.ts";
import { startRedis } from "../support/redis-server.ts";
import { createDelivery } from "./deliveries.ts";
import { type Cost, measure, median, type Program, phoneOf, sixteenAtOnce, start, Visitor } from "./measure.ts";

/* Each floor of docs/benchmarks.md, in one run. `--quick` shows in seconds that every row works; its figures say nothing. */
const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 15;
const times = (count: number) => Math.ceil(quick ? count / 50 : count);

const folder = mkdtempSync(join(tmpdir(), "doorcode-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const newFile = () => join(folder, `${randomUUID()}.sqlite`);

const rows: string[] = [];
function report(what: string, figure: number, floor: string): void {
  rows.push(`| ${what} | ${figure < 10 ? figure.toFixed(2) : Math.round(figure).toLocaleString("en")} | ${floor} |`);
  process.stdout.write(`${rows.at(-1)}\n`);
}

/** Starts programs by name, measures them in turns, and stops them. Returns the median cost of an operation of each. */
async function compare(
  programs: Readonly<Record<string, Promise<Program>>>,
  cost: (name: string, program: Program) => Promise<number>,
): Promise<Readonly<Record<string, number>>> {
  const started = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => [name, await program] as const),
  );
  try {
    return await measure(
      rounds,
      Object.fromEntries(started.map(([name, program]) => [name, () => cost(name, program)])),
    );
  } finally {
    for (const [, program] of started) program.stop();
  }
}

const ratio = (of: number | undefined, to: number | undefined) => (of ?? Number.NaN) / (to ?? Number.NaN);

async function verification(): Promise<void> {
  for (const [size, bytes, floor] of [
    ["1 KB", "1024", "≥ 0.70"],
    ["64 KB", "65536", "≥ 0.95"],
  ] as const) {
    const names = ["bare", "kit", "stripe"];
    const programs = Object.fromEntries(names.map((name) => [name, start("verify.ts", name, bytes)]));
    const cost = await compare(programs, async (_, program) => {
      return (await program.run(times(bytes === "1024" ? 20_000 : 2000))).cpuMicroseconds;
    });
    report(`verifying ${size}, of a bare HMAC`, ratio(cost.bare, cost.kit), floor);
    report(`verifying ${size}, of stripe`, ratio(cost.stripe, cost.kit), "> 1");
  }
}

async function webhook(): Promise<void> {
  const programs = { hand: start("server.ts", "webhook by hand"), kit: start("server.ts", "webhook kit") };
  const count = times(2000);
  const cost = await compare(programs, async (_, program) => {
    const visitor = new Visitor(program.ready as number, 0);
    const deliver = async () => {
      const { body, headers } = createDelivery();
      await visitor.ask("POST", "/webhooks", body.toString(), headers);
    };
    return (await program.during(count, () => sixteenAtOnce(count, deliver))).cpuMicroseconds;
  });
  report("a webhook over HTTP, of a route by hand", ratio(cost.hand, cost.kit), "≥ 0.45");
}

async function inbox(): Promise<void> {
  const redis = await startRedis();
  const programs = { hand: start("inbox.ts", "hand", redis.url), kit: start("inbox.ts", "kit", redis.url) };
  const cost = await compare(programs, async (_, program) => (await program.run(times(1000))).cpuMicroseconds);
  report("an event through an inbox, of BullMQ by hand", ratio(cost.hand, cost.kit), "≥ 0.5");
  await redis.stop();
}

/** Logs a person in: at the kit and at the app by hand, or at better-auth. */
async function logIn(visitor: Visitor, name: string, phone: string, codeOf: (phone: string) => string): Promise<void> {
  const [path, body] =
    name === "better-auth" ? ["/api/auth/phone-number", { phoneNumber: phone }] : ["/login", { phone }];
  const [first, second] = name === "better-auth" ? ["send-otp", "verify"] : ["start", "confirm"];
  await visitor.ask("POST", `${path}/${first}`, JSON.stringify(body));
  await visitor.ask("POST", `${path}/${second}`, JSON.stringify({ ...body, code: codeOf(phone) }));
}

async function guard(): Promise<void> {
  const [kit, auth] = [start("server.ts", "guard kit"), start("server.ts", "guard better-auth")];
  const people = 20;
  const visitors = new Map<string, Promise<readonly Visitor[]>>();
  const count = times(2000);
  const cost = await compare({ open: kit, kit, "better-auth": auth }, async (name, program) => {
    const logInAll = () =>
      Promise.all(
        Array.from({ length: people }, async (_, index) => {
          const visitor = new Visitor(program.ready as number, index);
          await logIn(visitor, name, phoneOf(index + (name === "open" ? people : 0)), () => "246810");
          return visitor;
        }),
      );
    if (!visitors.has(name)) visitors.set(name, logInAll());
    const all = (await visitors.get(name)) ?? [];
    const path = name === "open" ? "/open" : "/account";
    const ask = async (index: number) => all[index % people]?.ask("GET", path);
    return (await program.during(count, () => sixteenAtOnce(count, ask))).cpuMicroseconds;
  });
  report("a guarded request, of the route without a guard", ratio(cost.open, cost.kit), "≥ 0.6");
  report("a guarded request, of better-auth's getSession", ratio(cost["better-auth"], cost.kit), "≥ 4");
}

/** Starts the service, as far as it sends codes of an app. */
async function startService() {
  const codes = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { recipient, custom_otp } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    codes.set(recipient, custom_otp);
    response.end(JSON.stringify({ verification_id: `ver_${recipient}`, error_code: "" }));
  });
  // A connection must not end between two rounds: not every client sends a request again.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, codeOf: (phone: string) => codes.get(phone) ?? "", close: () => server.closeAllConnections() };
}

async function login(): Promise<void> {
  const service = await startService();
  const names = ["by hand", "kit", "better-auth"];
  const programs = Object.fromEntries(names.map((name) => [name, start("server.ts", `login ${name}`, service.url)]));
  const next = new Map(names.map((name) => [name, 0]));
  const cost = await compare(programs, async (name, program) => {
    // better-auth's adapter for memory reads all of its records in each call, so 200 logins a round would take many minutes.
    const count = times(name === "better-auth" ? 10 : 200);
    const first = next.get(name) ?? 0;
    next.set(name, first + count);
    const logInOne = (index: number) =>
      logIn(new Visitor(program.ready as number, first + index), name, phoneOf(first + index), service.codeOf);
    return (await program.during(count, () => sixteenAtOnce(count, logInOne))).cpuMicroseconds;
  });
  report("a login, of one by hand", ratio(cost["by hand"], cost.kit), "≥ 0.6");
  report("a login, of better-auth with 10,000 users", ratio(cost["better-auth"], cost.kit), "≥ 10");
  service.close();
}

/** Starts two processes on one file: each runs half of the operations, and the slower one counts. */
async function startTwo(file: string, ...words: readonly string[]): Promise<Program> {
  const firsts = ["0", "10000000"];
  const both = await Promise.all(firsts.map((first) => start("stores.ts", "SQLite", file, first, ...words)));
  const slowest = (costs: readonly Cost[]) => Math.max(...costs.map(({ wallMicroseconds }) => wallMicroseconds));
  return {
    ready: undefined,
    async run(operations) {
      const costs = await Promise.all(both.map((program) => program.run(operations / 2)));
      return { cpuMicroseconds: Number.NaN, wallMicroseconds: slowest(costs) / 2 };
    },
    during: () => Promise.reject(new Error("Two processes have no cost in common.")),
    bytes: async () => (await Promise.all(both.map((program) => program.bytes()))).reduce((sum, bytes) => sum + bytes),
    stop() {
      for (const program of both) program.stop();
    },
  };
}

async function stores(): Promise<void> {
  const redis = await startRedis();
  const postgres = await findPostgres();
  const programs = {
    memory: start("stores.ts", "memory"),
    SQLite: start("stores.ts", "SQLite", newFile()),
    two: startTwo(newFile()),
    Redis: start("stores.ts", "Redis", redis.url),
    ...(postgres && { PostgreSQL: start("stores.ts", "PostgreSQL", postgres.url) }),
  };
  const cost = await compare(programs, async (_, program) => (await program.run(times(300))).wallMicroseconds);
  report("logins a second on memory", 1e6 / (cost.memory ?? Number.NaN), "");
  report("logins a second on SQLite, of memory", ratio(cost.memory, cost.SQLite), "≥ 0.15");
  report("logins a second of two processes on one file of SQLite, of memory", ratio(cost.memory, cost.two), "≥ 0.12");
  report("logins a second on Redis, of memory", ratio(cost.memory, cost.Redis), "≥ 0.20");
  report("logins a second on PostgreSQL, of memory", ratio(cost.memory, cost.PostgreSQL), "≥ 0.035");
  await redis.stop();
}

/** Starts in two processes: one with a million pending logins before them. It takes some minutes, so it runs by its name only. */
async function pending(): Promise<void> {
  const most = times(1_000_000);
  for (const name of ["memory", "SQLite"]) {
    const file = newFile();
    const many = await start("stores.ts", name, file, "0", "pending");
    await many.run(times(10_000));
    const before = await many.bytes();
    if (name === "memory") await many.run(most);
    else copyLogins(file, most / times(10_000));
    const bytes = (await many.bytes()) - before;
    const few = start("stores.ts", name, newFile(), "0", "pending");
    const programs = { few, many: Promise.resolve(many) };
    const cost = await compare(programs, async (_, program) => (await program.run(times(1000))).wallMicroseconds);
    report(`a start with a million pending logins on ${name}, of one with few`, ratio(cost.many, cost.few), "≤ 1.5");
    if (name === "memory") report("bytes of a pending login", bytes / most, "≤ 2,500");
  }
}

/** Multiplies the pending logins of a file: a million real starts would take an hour, and the first ones would expire meanwhile. */
function copyLogins(file: string, copies: number): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000");
  // A long key ends in an id or a digest of its own. The others are counters of all logins together. Sorted, they are written fast.
  const { changes } = database
    .prepare(`WITH RECURSIVE copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < ?)
INSERT INTO doorcode_entries SELECT CAST(substr(key, 1, length(key) - 16) || hex(randomblob(8)) AS BLOB) AS copied, value, count, holder,
  leased_until, expires_at + 3600000 FROM doorcode_entries, copies WHERE length(key) > 26 ORDER BY copied`)
    .run(copies);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  report("entries that were copied into the file of SQLite", Number(changes), "");
}

/** Two processes on a file for ten minutes, or `DOORCODE_SOAK_MINUTES`. Sessions end after a minute. It runs by its name only. */
async function soak(): Promise<void> {
  const file = newFile();
  const programs = await startTwo(file, "soak");
  const [begun, minutes] = [performance.now(), Number(process.env.DOORCODE_SOAK_MINUTES ?? (quick ? 0.1 : 10))];
  const figures: { share: number; log: number; bytes: number; memory: number; wallMicroseconds: number }[] = [];
  for (let share = 0; share < 1; share = (performance.now() - begun) / 60_000 / minutes) {
    const { wallMicroseconds } = await programs.run(200);
    const [log, bytes, memory] = [statSync(`${file}-wal`).size, statSync(file).size, await programs.bytes()];
    figures.push({ share, log, bytes, memory, wallMicroseconds });
  }
  programs.stop();
  const growth = (name: "memory" | "wallMicroseconds") => {
    const medianOf = (from: number) =>
      median(figures.filter(({ share }) => share >= from && share < from + 0.2).map((figure) => figure[name]));
    return medianOf(0.8) / medianOf(0.3);
  };
  report("logins of two processes on one file of SQLite", figures.length * 200, "");
  report("MB of the largest log", Math.max(...figures.map(({ log }) => log)) / 1e6, "≤ 32");
  // Much of what a login leaves lives for longer than the soak: see docs/scaling.md.
  report("KB of the file for each login", (figures.at(-1)?.bytes ?? Number.NaN) / 1000 / (figures.length * 200), "");
  report("memory of the processes, last fifth of that after three tenths", growth("memory"), "≤ 1.2");
  report("time of a login, the same", growth("wallMicroseconds"), "≤ 1.5");
}

async function firstAnswer(): Promise<void> {
  const milliseconds = (word: string) => async () => {
    const program = await start("first-answer.ts", word);
    program.stop();
    return program.ready as number;
  };
  const time = await measure(rounds, { kit: milliseconds("kit"), express: milliseconds("express") });
  report("import and first answer, milliseconds beyond Express", (time.kit ?? 0) - (time.express ?? 0), "≤ 300");
}

async function sandbox(): Promise<void> {
  const begun = performance.now();
  const program = await start("sandbox.ts");
  report("seconds until the sandbox is ready", (performance.now() - begun) / 1000, "≤ 1");
  await program.run(times(10_000));
  report("MB of the sandbox with 10,000 messages", (await program.bytes()) / 1e6, "≤ 250");
  program.stop();
}

const groups = { verification, webhook, inbox, guard, login, stores, firstAnswer, sandbox, pending, soak };
const byNameOnly = ["pending", "soak"];
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = named.find((name) => !(name in groups));
if (unknown !== undefined) throw new Error(`There is no group ${unknown}. Use ${Object.keys(groups).join(", ")}.`);
for (const [name, group] of Object.entries(groups)) {
  if (named.length > 0 ? named.includes(name) : !byNameOnly.includes(name)) await group();
}
process.exit();
