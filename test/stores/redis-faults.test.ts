import { createManualClock } from "@doorcode/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { setUpRedis } from "./redis-setup.ts";

const onRedis = test.skipIf(!isInstalled("redis-server"));
const minute = { ttlSeconds: 60 };
const long = { leaseSeconds: 60, ttlSeconds: 60 };
const once = [{ key: "counter", by: 1, ...minute }];

function outcome(command: Promise<unknown>): Promise<"answered" | "rejected"> {
  return command.then(
    () => "answered",
    () => "rejected",
  );
}

const unavailable = { code: "store_unavailable", status: 503, retryAfterSeconds: 1 };

describe.skipIf(!isInstalled("redis-server"))("a server that does not reply", () => {
  test("makes each function reject after the timeout, with no timer left behind", async () => {
    const clock = createManualClock();
    const { store, server } = await setUpRedis({ clock });
    await server.pause();
    const commands = Promise.allSettled([
      store.get(["key"]),
      store.put("key", "value", minute),
      store.increment(once),
      store.lease("key", "token", long),
      store.settle("key", "token", "value", minute),
    ]);
    await clock.advance(1999);
    expect(clock.pending).toBe(5);
    await clock.advance(1);
    expect(await commands).toMatchObject(Array(5).fill({ status: "rejected", reason: unavailable }));
    expect(clock.pending).toBe(0);
    server.resume();
    await expect.poll(() => outcome(store.get(["other"]))).toBe("answered");
  });

  test("is disconnected once, by any number of commands that have waited for it", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    // On the machine's own clock, the timeouts of commands that were sent together come before the socket can close.
    const { store, server } = await setUpRedis({ timeoutSeconds: 1 });
    await server.pause();
    const commands = Promise.allSettled(Array.from({ length: 20 }, () => store.get(["key"])));
    expect(await commands).toMatchObject(Array(20).fill({ reason: unavailable }));
    server.resume();
    await expect.poll(() => outcome(store.get(["other"]))).toBe("answered");
    // Each disconnection would be another listener of the socket.
    expect(warnings).toEqual([]);
  });

  test("is not sent a script again that it has lost, after the timeout", async () => {
    const clock = createManualClock();
    const { store, server } = await setUpRedis({ clock });
    await store.increment([{ key: "other", by: 1, ...minute }]);
    await server.admin.script("FLUSH");
    await server.pause();
    const rejected = expect(store.increment(once)).rejects.toMatchObject(unavailable);
    await clock.advance(2000);
    await rejected;
    server.resume();
    await expect.poll(() => outcome(store.get(["key"]))).toBe("answered");
    // A script that was sent again is carried out before this.
    await store.get(["key"]);
    expect(await server.admin.exists("counter")).toBe(0);
  });

  test("is never sent a command that waited for a connection until its timeout", async () => {
    const clock = createManualClock();
    const { store, server, proxy } = await setUpRedis({ clock });
    await store.increment(once);
    proxy.holdAnswers();
    const lost = store.get(["counter"]);
    proxy.cut();
    await expect(lost).rejects.toMatchObject(unavailable);
    const commands = Promise.allSettled([store.increment(once)]);
    await clock.advance(1999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await commands).toMatchObject([{ status: "rejected", reason: unavailable }]);
    proxy.restore();
    await store.get(["counter"]);
    expect(await server.admin.hget("counter", "n")).toBe("1");
  });
});

describe.skipIf(!isInstalled("redis-server"))("a server that is down", () => {
  test("makes commands reject at once, and serves its data from disk again when it is back", async () => {
    const clock = createManualClock();
    const { store, server } = await setUpRedis({ clock, settings: ["--appendonly", "yes", "--appendfsync", "always"] });
    await store.increment([...once, { key: "other", by: 2, ...minute }]);
    await server.kill();
    // Nobody moves the clock, so none of these commands reaches its timeout.
    await expect(store.get(["counter"])).rejects.toMatchObject(unavailable);
    await expect(store.increment(once)).rejects.toMatchObject(unavailable);
    await server.restart();
    await expect.poll(() => outcome(store.get(["counter"]))).toBe("answered");

    // The restart has removed its scripts, but not the counts.
    const counters = await store.increment([...once, ...once, { key: "other", by: 1, ...minute }]);
    expect(counters.map(({ count }) => count)).toEqual([2, 3, 3]);
  });
});

onRedis("runs its scripts on a server that has lost them", async () => {
  const { store, server } = await setUpRedis();
  await store.put("key", "value", minute);
  await server.admin.script("FLUSH");
  const counters = await store.increment([...once, { key: "other", by: 2, ...minute }, ...once]);
  await server.admin.script("FLUSH");
  const leased = await store.lease("key", "token", long);
  await server.admin.script("FLUSH");
  const settled = await store.settle("key", "token", "done", minute);

  expect(counters.map(({ count }) => count)).toEqual([1, 2, 2]);
  expect([leased, settled]).toEqual([{ held: true, value: "value" }, true]);
});

onRedis(
  "rejects writes while the server is full, changes nothing, and accepts them when there is room again",
  async () => {
    const { store, server } = await setUpRedis();
    await store.increment(once);
    await store.put("key", "value", minute);
    await store.lease("key", "token", long);
    await store.put("plain", "value", minute);
    const before = await server.admin.hgetall("key");
    await server.admin.config("SET", "maxmemory", "1");

    const writes = [
      () => store.put("key", "other", minute),
      () => store.put("new", "value", minute),
      () => store.increment(once),
      () => store.increment([{ key: "new", by: 1, ...minute }]),
      () => store.lease("key", "token", long),
      () => store.settle("key", "token", "other", minute),
      () => store.lease("plain", "token", long),
      () => store.increment([{ key: "plain", by: 1, ...minute }]),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(/maxmemory/);
    expect(await store.get(["key", "new", "plain"])).toEqual(["value", undefined, "value"]);
    expect(await store.increment([{ key: "counter", by: 0, limit: 1, ...minute }])).toMatchObject([
      { granted: true, count: 1 },
    ]);
    expect(await server.admin.hgetall("key")).toEqual(before);

    await server.admin.config("SET", "maxmemory", "0");
    for (const write of writes) await expect(write()).resolves.not.toThrow();
  },
);

onRedis("close() ends the connection of the store, and leaves the client of the app as it is", async () => {
  const { store, server, client } = await setUpRedis();
  expect(await server.admin.client("LIST")).toContain("name=doorcode-store");
  await store.close?.();
  await expect.poll(() => server.admin.client("LIST")).not.toContain("name=doorcode-store");
  await expect(store.get(["key"])).rejects.toThrow(new TypeError("The store was closed: create another."));
  expect(await client.ping()).toBe("PONG");
  expect(client.eventNames()).toEqual(["error"]);
});

onRedis("close() ends a store whose server is away, for good", async () => {
  const { store, server } = await setUpRedis();
  await server.kill();
  await expect.poll(() => outcome(store.get(["key"]))).toBe("rejected");
  await store.close?.();
  await server.restart();
  // The client of the app comes back, so a store that had not ended would, too.
  await expect.poll(() => server.admin.client("LIST")).toContain("name= ");
  expect(await server.admin.client("LIST")).not.toContain("name=doorcode-store");
});
