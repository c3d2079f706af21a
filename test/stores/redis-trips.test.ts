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
    { call: "get of five keys", commands: 1, run: (store) => store.get(keys) },
    { call: "put", commands: 1, run: (store) => store.put("a", "value", minute) },
    { call: "put of undefined", commands: 1, run: (store) => store.put("a", undefined, minute) },
    { call: "increment", commands: 1, run: (store) => store.increment([{ key: "a", by: 1, ...minute }]) },
    {
      call: "increment of five keys",
      commands: 1,
      run: (store) => store.increment(keys.map((key) => ({ key, by: 1, ...minute }))),
    },
    { call: "lease", commands: 1, run: (store) => store.lease("a", "token", long) },
    { call: "settle", commands: 1, run: (store) => store.settle("a", "token", "value", minute) },
    {
      call: "several functions called at once",
      commands: 1,
      run: (store) => Promise.all([store.get(["a"]), store.put("b", "value", minute), store.lease("c", "token", long)]),
    },
    {
      call: "increment of 850 keys",
      commands: 3,
      run: (store) =>
        store.increment(Array.from({ length: 850 }, (_, index) => ({ key: `${index}`, by: 1, ...minute }))),
    },
  ])(
  "$call takes one round trip: all commands are sent before the first reply, and none after it",
  async ({ commands, run }) => {
    const { store, server, proxy } = await setUpRedis();
    // The first call of a script sends its text to the server.
    await run(store);
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

test.skipIf(!isInstalled("redis-server"))(
  "an entry that is a string, or does not exist, costs Redis no question besides GET, and PTTL for what is left",
  async () => {
    const { store, server } = await setUpRedis();
    const change = (by: number, renew = false) => store.increment([{ key: "counter", by, renew, ...minute }]);
    const steps: [name: string, run: () => Promise<unknown>, asked: string][] = [
      ["an absent value", () => store.get(["a"]), "get"],
      ["a new value", () => store.put("a", "value", minute), "get set"],
      ["a value", () => store.get(["a"]), "get"],
      ["an absent counter", () => change(0), "get"],
      ["a new counter", () => change(2), "get set"],
      ["a counter", () => change(0), "get pttl"],
      ["a counter that grows", () => change(1), "get pttl set"],
      ["a counter that begins anew", () => change(1, true), "get set"],
      ["a counter that ends", () => change(-4), "del get"],
    ];
    for (const [name, run, asked] of steps) {
      await server.admin.config("RESETSTAT");
      await run();
      const stats = await server.admin.info("commandstats");
      const commands = [...stats.matchAll(/cmdstat_(get|type|pttl|set|del|pexpire|hget):calls=(\d+)/g)];
      expect(
        commands
          .map(([, command]) => command)
          .sort()
          .join(" "),
        name,
      ).toBe(asked);
      expect(
        commands.map(([, , calls]) => calls),
        name,
      ).toEqual(commands.map(() => "1"));
    }
  },
);
