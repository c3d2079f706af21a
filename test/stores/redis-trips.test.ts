import type { Store } from "@doorcode/core/store";
import { expect, test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { setUpRedis } from "./redis-bench.ts";

const minute = { ttlSeconds: 60 };
const long = { leaseSeconds: 60, ttlSeconds: 60 };
const keys = ["a", "b", "c", "d", "e"];

test
  .skipIf(!isInstalled("redis-server"))
  .each<{ verb: string; commands: number; ask: (store: Store) => Promise<unknown> }>([
    { verb: "get", commands: 1, ask: (store) => store.get(["a"]) },
    { verb: "get of five keys", commands: 5, ask: (store) => store.get(keys) },
    { verb: "put", commands: 1, ask: (store) => store.put("a", "value", minute) },
    { verb: "put of undefined", commands: 1, ask: (store) => store.put("a", undefined, minute) },
    { verb: "increment", commands: 1, ask: (store) => store.increment([{ key: "a", by: 1, ...minute }]) },
    {
      verb: "increment of five keys",
      commands: 5,
      ask: (store) => store.increment(keys.map((key) => ({ key, by: 1, ...minute }))),
    },
    { verb: "lease", commands: 1, ask: (store) => store.lease("a", "token", long) },
    { verb: "settle", commands: 1, ask: (store) => store.settle("a", "token", "value", minute) },
  ])(
  "$verb is one round trip: all of it is sent before anything is answered, and nothing after",
  async ({ commands, ask }) => {
    const { store, server, proxy } = await setUpRedis();
    // The first call of a script teaches it to the server.
    await ask(store);
    const asked: string[] = [];
    const monitor = await server.admin.monitor();
    monitor.on("monitor", (_time: string, [name = ""]: readonly string[], source: string) => {
      if (proxy.sourcePorts.has(Number(source.split(":").at(-1)))) asked.push(name.toLowerCase());
    });

    proxy.holdAnswers();
    const answered = ask(store);
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(commands);
    proxy.restore();
    await answered;
    await server.admin.ping();
    monitor.disconnect();
    expect(asked.length).toBe(commands);
  },
);
