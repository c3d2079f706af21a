import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { setUpRedis } from "./redis-bench.ts";

const minute = { ttlSeconds: 60 };
const long = { leaseSeconds: 60, ttlSeconds: 60 };

describe("keys and values", () => {
  test.each<[string, string]>([
    ["spaces", " a  b "],
    ["braces", "{user}:{1000}"],
    ["empty braces", "{}key"],
    ["an open brace", "{key"],
    ["line ends", "a\r\nb\n"],
    ["a protocol of its own", "*1\r\n$8\r\nFLUSHALL\r\n"],
    ["zero bytes", "a\0b"],
    ["emoji", "🔑👩‍👩‍👧"],
    ["a byte order mark", "\uFEFFa"],
    ["patterns", "*?[a]"],
    ["300 characters", "k".repeat(300)],
    ["nothing", ""],
  ])("may hold %s", async (_, text) => {
    const { store, server } = await setUpRedis();
    await store.put(text, text, minute);
    const { value } = await store.lease(text, text, long);
    const settled = await store.settle(text, text, `${text}!`, minute);
    const [counter] = await store.increment([{ key: text, by: 1, ...minute }]);

    expect([value, settled, counter?.count]).toEqual([text, true, 1]);
    expect(await store.get([text])).toEqual([`${text}!`]);
    expect(await server.admin.keys("*")).toEqual([text]);
  });

  test("may not hold half a character, which another half would be mistaken for", async () => {
    const { store, server } = await setUpRedis();
    await expect(store.put("\uD800", "value", minute)).rejects.toBeInstanceOf(TypeError);
    await expect(store.put("key", "\uDC00", minute)).rejects.toBeInstanceOf(TypeError);
    await expect(store.get(["\uD800"])).rejects.toBeInstanceOf(TypeError);
    await expect(store.lease("key", "\uD800", long)).rejects.toBeInstanceOf(TypeError);
    expect(await server.admin.keys("*")).toEqual([]);
  });

  test("may be a megabyte, of any characters, for every verb", async () => {
    const { store } = await setUpRedis();
    const value = "aé🔑\0".repeat(125_000);
    await store.put("key", value, minute);
    const leased = await store.lease("key", "token", long);
    const settled = await store.settle("key", "token", `${value}.`, minute);
    const [read] = await store.get(["key"]);

    expect(Buffer.byteLength(value)).toBe(1_000_000);
    expect([leased.value === value, settled, read === `${value}.`]).toEqual([true, true, true]);
  });

  test("stand behind the prefix, and stores of different prefixes do not meet", async () => {
    const { client, server } = await setUpRedis();
    const [one, other] = ["one:", "other:"].map((prefix) => createRedisStore({ client, prefix }));
    await one?.put("key", "of one", minute);
    expect(await other?.get(["key"])).toEqual([undefined]);
    expect(await server.admin.keys("*")).toEqual(["one:key"]);
  });
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
  "refuses %s seconds, and writes nothing",
  async (seconds) => {
    const { store, server } = await setUpRedis();
    const ttl = { ttlSeconds: seconds };
    await expect(store.put("key", "value", ttl)).rejects.toBeInstanceOf(TypeError);
    await expect(store.put("key", undefined, ttl)).rejects.toBeInstanceOf(TypeError);
    await expect(store.increment([{ key: "key", by: 1, ...ttl }])).rejects.toBeInstanceOf(TypeError);
    await expect(store.lease("key", "token", { leaseSeconds: 1, ...ttl })).rejects.toBeInstanceOf(TypeError);
    await expect(store.lease("key", "token", { leaseSeconds: seconds, ...minute })).rejects.toBeInstanceOf(TypeError);
    await expect(store.settle("key", "token", "value", ttl)).rejects.toBeInstanceOf(TypeError);
    expect(await server.admin.keys("*")).toEqual([]);
  },
);

test("refuses to count by parts of one", async () => {
  const { store } = await setUpRedis();
  await expect(store.increment([{ key: "key", by: 0.5, ...minute }])).rejects.toBeInstanceOf(TypeError);
});

test("counts exactly where numbers get long", async () => {
  const { store } = await setUpRedis();
  const by = 1_000_000_000_000_000;
  await store.increment([{ key: "key", by, ...minute }]);
  const [counter] = await store.increment([{ key: "key", by: 1, limit: by + 1, ...minute }]);
  const [refused] = await store.increment([{ key: "key", by: 1, limit: by + 1, ...minute }]);
  expect(counter).toMatchObject({ granted: true, count: by + 1 });
  expect(refused).toMatchObject({ granted: false, count: by + 1 });
});

test("gives back a lifetime to an entry that somebody took it from", async () => {
  const { store, server } = await setUpRedis();
  await store.increment([{ key: "key", by: 1, ...minute }]);
  await server.admin.persist("key");
  const [counter] = await store.increment([{ key: "key", by: 1, ...minute }]);
  expect(counter).toEqual({ granted: true, count: 2, secondsLeft: 60 });
  expect(await server.admin.pttl("key")).toBeGreaterThan(0);
});

describe.each([-1, 1])("an app whose clock is wrong by %i days", (days) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * 86_400_000 }));
  afterEach(() => void vi.useRealTimers());

  test("leases, counts and keeps values as any other", async () => {
    const { store, server } = await setUpRedis();
    await store.put("value", "value", minute);
    const [counter] = await store.increment([{ key: "counter", by: 1, ...minute }]);
    const first = await store.lease("lease", "a", long);
    const second = await store.lease("lease", "b", long);
    await server.admin.hset("lease", "u", Number((await server.admin.time())[0]) * 1000 - 1);
    const third = await store.lease("lease", "b", long);

    expect([await store.get(["value"]), counter?.secondsLeft]).toEqual([["value"], 60]);
    expect([first.held, second.held, third.held]).toEqual([true, false, true]);
  });
});

test("tells of what Redis refuses by its code, and nothing of what it was sent", async () => {
  const { store, server } = await setUpRedis();
  await server.admin.set("+4915123456789", "of somebody else");
  const refused = await store.put("+4915123456789", "secret", minute).catch((error: unknown) => error);
  await server.admin.acl("SETUSER", "default", "-evalsha");
  const forbidden = await store.put("+4915123456780", "secret", minute).catch((error: unknown) => error);

  expect([refused, forbidden]).toMatchObject([{ code: "store_unavailable" }, { code: "store_unavailable" }]);
  for (const error of [refused, forbidden]) {
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/secret|49151/);
  }
});

test("needs no more rights than its README names", async () => {
  const { server } = await setUpRedis();
  const readme = readFileSync(new URL("../../packages/redis/README.md", import.meta.url), "utf8");
  const rights = readme.match(/`((?:\+\w+ ?)+)`, in a cluster/)?.[1]?.split(" ") ?? [];
  await server.admin.acl("SETUSER", "app", "on", ">secret", "~app:*", ...rights);
  const client = new Redis({ port: server.port, host: "127.0.0.1", username: "app", password: "secret" });
  onTestFinished(() => client.disconnect());
  const store = createRedisStore({ client, prefix: "app:" });
  await store.put("key", "value", minute);
  await store.lease("key", "token", long);
  await store.settle("key", "token", "held", { ...minute, hold: true });
  await store.settle("key", "token", undefined, { ...minute, hold: true });
  await store.settle("key", "token", "done", minute);
  await store.increment([{ key: "counter", by: 1, ...minute }]);
  await store.put("counter", undefined, minute);

  expect(rights.length).toBeGreaterThan(5);
  expect(await store.get(["key", "counter"])).toEqual(["done", undefined]);
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["an address", "redis://localhost"],
  ["options of ioredis", { host: "localhost" }],
  ["a client of another package", { sendCommand: () => undefined, isOpen: true, duplicate: () => undefined }],
])("refuses %s as a client, and names the fix", (_, client) => {
  expect(() => Reflect.apply(createRedisStore, undefined, [{ client }])).toThrow(/new Redis\(/);
});

test.each([0, -1, 4, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as timeoutSeconds", (timeoutSeconds) => {
  const client = new Redis({ lazyConnect: true });
  expect(() => createRedisStore({ client, timeoutSeconds })).toThrow(TypeError);
});

test.each([
  { policy: "noeviction", warnings: 0 },
  { policy: "volatile-lru", warnings: 1 },
])("warns $warnings times of a server whose maxmemory-policy is $policy", async ({ policy, warnings }) => {
  const emitted = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => emitted.mockRestore());
  const { server } = await setUpRedis({ settings: ["--maxmemory-policy", policy] });
  await expect.poll(() => server.admin.info("commandstats"), { timeout: 10_000 }).toMatch(/cmdstat_info:calls=[3-9]/);
  expect(emitted.mock.calls.map(([text]) => String(text)).filter((text) => text.includes(policy))).toHaveLength(
    warnings,
  );
});
