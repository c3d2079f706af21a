import { inspect } from "node:util";
import type { Store } from "@doorcode/core/store";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { setUpRedis } from "./redis-setup.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const minute = { ttlSeconds: 60 };

describe.skipIf(!isInstalled("redis-server"))("keys", () => {
  test("are used unchanged on the server", async () => {
    const { store, server } = await setUpRedis();
    const keys = ["", "{user}:{1000}", "{}key", "a\r\nb\n", "a\0b", "🔑👩‍👩‍👧", "k".repeat(10_000)];
    for (const key of keys) await store.put(key, key, minute);
    expect(await store.get(keys)).toEqual(keys);
    expect((await server.admin.keys("*")).toSorted()).toEqual(keys.toSorted());
  });

  test("follow the prefix, and stores with different prefixes share no keys", async () => {
    const { client, server } = await setUpRedis();
    const stores = ["one:", "other:"].map((prefix) => createRedisStore({ client, prefix }));
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close?.()))));
    const [one, other] = stores;
    await one?.put("key", "of one", minute);
    expect(await other?.get(["key"])).toEqual([undefined]);
    expect(await server.admin.keys("*")).toEqual(["one:key"]);
  });
});

onRedis.each<[kind: string, renew: boolean, create: (store: Store) => Promise<unknown>]>([
  ["a counter", false, (store) => store.increment([{ key: "key", by: 1, ...minute }])],
  ["a counter, with renew", true, (store) => store.increment([{ key: "key", by: 1, ...minute }])],
  ["a value", false, (store) => store.put("key", "value", minute)],
  ["an entry under a lease", false, (store) => store.lease("key", "token", { leaseSeconds: 60, ...minute })],
])("sets a lifetime again on %s that has lost it", async (_kind, renew, create) => {
  const { store, server } = await setUpRedis();
  await create(store);
  const [before] = await store.increment([{ key: "key", by: 0, ...minute }]);
  await server.admin.persist("key");
  const [counter] = await store.increment([{ key: "key", by: 1, renew, ...minute }]);
  expect(counter).toEqual({ granted: true, count: (before?.count ?? 0) + 1, secondsLeft: 60 });
  expect(await server.admin.pttl("key")).toBeGreaterThan(0);
});

onRedis("reports an error reply by its code, without the arguments of the command", async () => {
  const { store, server } = await setUpRedis();
  await server.admin.set("+4915123456789", "of another program");
  const refused = await store.put("+4915123456789", "secret", minute).catch((error: unknown) => error);
  await server.admin.acl("SETUSER", "default", "-evalsha");
  const forbidden = await store.put("+4915123456780", "secret", minute).catch((error: unknown) => error);

  expect([refused, forbidden]).toMatchObject([{ code: "store_unavailable" }, { code: "store_unavailable" }]);
  for (const error of [refused, forbidden]) {
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/secret|49151/);
  }
});

onRedis("overwrites no list, no set and no text of another program", async () => {
  const { store, server } = await setUpRedis();
  await server.admin.rpush("list", "a");
  await server.admin.sadd("set", "a");
  const texts = ["a", "", "1 a", "a 1", "-1", "1.5"];
  for (const text of texts) await server.admin.set(`text ${text}`, text);
  for (const key of ["list", "set", ...texts.map((text) => `text ${text}`)]) {
    await expect(store.put(key, "value", minute)).rejects.toThrow(/its own prefix/);
    await expect(store.increment([{ key, by: 1, ...minute }])).rejects.toThrow(/its own prefix/);
    await expect(store.lease(key, "token", { leaseSeconds: 60, ...minute })).rejects.toThrow(/its own prefix/);
    await expect(store.settle(key, "token", "value", minute)).rejects.toThrow(/its own prefix/);
    await expect(store.get([key])).rejects.toThrow(/its own prefix/);
  }
  for (const text of texts) expect(await server.admin.get(`text ${text}`)).toBe(text);
});

const seconds = /createRedisStore: timeoutSeconds: expected seconds above 0 and below 4/;

test.for<[what: string, options: unknown, says: RegExp]>([
  ["no options", undefined, /createRedisStore: options: expected an object such as \{ client/],
  ["no client", { client: undefined }, /new Redis\(/],
  ["an address as a client", { client: "redis://localhost" }, /new Redis\(/],
  ["options of ioredis as a client", { client: { host: "localhost" } }, /new Redis\(/],
  ["a client of another package", { client: { sendCommand() {}, isOpen: true, duplicate() {} } }, /new Redis\(/],
  ["a clock without schedule()", { clock: { now: Date.now } }, /clock[.a-z]*: expected a Clock/],
  ["a prefix with half a character", { prefix: "\ud800" }, /prefix: expected a string/],
  ["a timeout of 0", { timeoutSeconds: 0 }, seconds],
  ["a timeout of 4 seconds", { timeoutSeconds: 4 }, seconds],
  ["a timeout without an end", { timeoutSeconds: Number.POSITIVE_INFINITY }, seconds],
  ["a timeout that is no number", { timeoutSeconds: Number.NaN }, seconds],
])("refuses %s, and says what is expected", ([_what, options, says]) => {
  const given = options && { client: new Redis({ lazyConnect: true }), ...options };
  const create = () => Reflect.apply(createRedisStore, undefined, [given]);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(says);
});

onRedis.each([
  { policy: "noeviction", warnings: 0 },
  { policy: "volatile-lru", warnings: 1 },
])("warns $warnings times of a server whose maxmemory-policy is $policy", async ({ policy, warnings }) => {
  const emitted = vi.spyOn(process, "emitWarning").mockReturnValue();
  onTestFinished(() => emitted.mockRestore());
  const { server } = await setUpRedis({ settings: ["--maxmemory-policy", policy] });
  await expect.poll(() => server.admin.info("commandstats")).toMatch(/cmdstat_info:calls=[3-9]/);
  expect(emitted.mock.calls.map(([text]) => String(text)).filter((text) => text.includes(policy))).toHaveLength(
    warnings,
  );
});
