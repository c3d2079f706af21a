import type { Store } from "@doorcode/core/store";
import { expect, test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { setUpRedis } from "./redis-setup.ts";

const minute = { ttlSeconds: 60 };
const long = { leaseSeconds: 60, ttlSeconds: 60 };
const keys = ["a", "b", "c", "d", "e"];

test
  .skipIf(!isInstalled("redis-server"))
  .each<{ call: string; commands: number; run: (store: Store) => Promise<unknown> }>([
    { call: "get", commands: 1, run: (store) => store.get(["a"]) },
    { call: "get of five keys", commands: 5, run: (store) => store.get(keys) },
    { call: "put", commands: 1, run: (store) => store.put("a", "value", minute) },
    { call: "put of undefined", commands: 1, run: (store) => store.put("a", undefined, minute) },
    { call: "increment", commands: 1, run: (store) => store.increment([{ key: "a", by: 1, ...minute }]) },
    {
      call: "increment of five keys",
      commands: 5,
      run: (store) => store.increment(keys.map((key) => ({ key, by: 1, ...minute }))),
    },
    { call: "lease", commands: 1, run: (store) => store.lease("a", "token", long) },
    { call: "settle", commands: 1, run: (store) => store.settle("a", "token", "value", minute) },
    {
      call: "several functions called at the same time",
      commands: 3,
      run: (store) => Promise.all([store.get(["a"]), store.put("b", "value", minute), store.lease("c", "token", long)]),
    },
    {
      call: "increment of 850 keys",
      commands: 850,
      run: (store) =>
        store.increment(Array.from({ length: 850 }, (_, index) => ({ key: `${index}`, by: 1, ...minute }))),
    },
  ])(
  "$call takes one round trip: all commands are sent before the first reply, and none after it",
  async ({ commands, run }) => {
    const { store, server, proxy } = await setUpRedis();
    const sent: string[] = [];
    const monitor = await server.admin.monitor();
    monitor.on("monitor", (_time: string, [name = ""]: readonly string[], source: string) => {
      if (proxy.sourcePorts.has(Number(source.split(":").at(-1)))) sent.push(name.toLowerCase());
    });

    proxy.holdAnswers();
    const replied = run(store);
    await expect.poll(() => sent.length).toBe(commands);
    proxy.restore();
    await replied;
    await server.admin.ping();
    monitor.disconnect();
    expect(sent.length).toBe(commands);
  },
);
