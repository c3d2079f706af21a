import type { Store } from "@doorcode/core/store";
import { expect, test } from "vitest";
import { isInstalled } from "../support/redis-server.ts";
import { setUpRedis } from "./redis-setup.ts";

const minute = { ttlSeconds: 60 };
const keys = ["a", "b", "c", "d", "e"];

test
  .skipIf(!isInstalled("redis-server"))
  .each<{ call: string; commands: number; run: (store: Store) => Promise<unknown> }>([
    { call: "get", commands: 5, run: (store) => store.get(keys) },
    { call: "increment", commands: 5, run: (store) => store.increment(keys.map((key) => ({ key, by: 1, ...minute }))) },
    { call: "lease", commands: 1, run: (store) => store.lease("a", "token", { leaseSeconds: 60, ...minute }) },
  ])(
  "$call takes one round trip: $commands commands are sent before the first reply, and none after it",
  async ({ commands, run }) => {
    const { store, server, proxy } = await setUpRedis();
    const sent: string[] = [];
    const monitor = await server.admin.monitor();
    monitor.on("monitor", (_time: string, [name = ""]: readonly string[], source: string) => {
      if (proxy.sourcePorts.has(Number(source.split(":").at(-1)))) sent.push(name);
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
