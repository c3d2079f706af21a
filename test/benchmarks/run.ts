import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findPostgres } from "../support/postgres-server.ts";
import { startRedis } from "../support/redis-server.ts";
import { createDelivery } from "./deliveries.ts";
import { measure, type Program, phoneOf, sixteenAtOnce, start, Visitor } from "./measure.ts";

/* Each floor of docs/benchmarks.md, in one run. `--quick` shows in seconds that every row works; its figures say nothing. */
const quick = process.argv.includes("--quick");
const rounds = quick ? 1 : 15;
const times = (count: number) => Math.ceil(quick ? count / 50 : count);

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
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, codeOf: (phone: string) => codes.get(phone) ?? "", close: () => server.closeAllConnections() };
}

async function login(): Promise<void> {
  const service = await startService();
  const names = ["by hand", "kit", "better-auth"];
  const programs = Object.fromEntries(names.map((name) => [name, start("server.ts", `login ${name}`, service.url)]));
  const count = times(200);
  const next = new Map(names.map((name) => [name, 0]));
  const cost = await compare(programs, async (name, program) => {
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

async function stores(): Promise<void> {
  const redis = await startRedis();
  const postgres = await findPostgres();
  const programs = {
    memory: start("stores.ts", "memory"),
    Redis: start("stores.ts", "Redis", redis.url),
    ...(postgres && { PostgreSQL: start("stores.ts", "PostgreSQL", postgres.url) }),
  };
  const cost = await compare(programs, async (_, program) => (await program.run(times(300))).wallMicroseconds);
  report("logins a second on memory", 1e6 / (cost.memory ?? Number.NaN), "");
  report("logins a second on Redis, of memory", ratio(cost.memory, cost.Redis), "≥ 0.20");
  report("logins a second on PostgreSQL, of memory", ratio(cost.memory, cost.PostgreSQL), "≥ 0.035");
  await redis.stop();
}

/** Logins of the memory store with a thousand and with a million pending ones. It takes some minutes, so it runs by its name only. */
async function pending(): Promise<void> {
  const program = await start("stores.ts", "memory", "pending");
  const starts = { cost: async () => (await program.run(times(1000))).cpuMicroseconds };
  const [few, before] = [await measure(rounds, starts), await program.bytes()];
  await program.run(times(1_000_000));
  const [after, many] = [await program.bytes(), await measure(rounds, starts)];
  program.stop();
  report("a start with a million pending logins, of one with a thousand", ratio(many.cost, few.cost), "≤ 1.5");
  report("bytes of a pending login", (after - before) / times(1_000_000), "≤ 2,500");
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

const groups = { verification, webhook, inbox, guard, login, stores, firstAnswer, sandbox, pending };
const named = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = named.find((name) => !(name in groups));
if (unknown !== undefined) throw new Error(`There is no group ${unknown}. Use ${Object.keys(groups).join(", ")}.`);
for (const [name, group] of Object.entries(groups)) {
  if (named.length > 0 ? named.includes(name) : name !== "pending") await group();
}
process.exit();
