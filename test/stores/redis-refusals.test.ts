import { type AddressInfo, connect, createServer } from "node:net";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { isInstalled, type RedisServer } from "../support/redis-server.ts";
import { openRedis } from "./redis-setup.ts";

const minute = { ttlSeconds: 60 };

/** Words error replies as Redis 6.2 does: it wraps the errors of scripts, and adds a dash to those of its own checks. */
function asRedis62(reply: string): string {
  const wrapping = "-ERR Error running script (call to f_2f31ba2bb6d6a0f42cc159d2e2dad55440778de3): @user_script:2:";
  return reply
    .replace(/^-((?:READONLY|OOM|NOREPLICAS) .*)$/gm, `${wrapping} @user_script: 2: -$1 `)
    .replace(/^-(WRONGTYPE .*)$/gm, `${wrapping} $1 `);
}

/** Says, that many times, that the server still loads its data, as it does after a start. It says so in as many bytes. */
function asLoading(times: number): (reply: string) => string {
  let left = times;
  return (reply) => (/^loading:0/m.test(reply) && left-- > 0 ? reply.replace(/^loading:0/m, "loading:1") : reply);
}

/** Starts a proxy to a Redis that changes its replies. */
async function startProxy(targetPort: number, change: (reply: string) => string): Promise<number> {
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    client.pipe(target);
    target.on("data", (reply) => client.write(change(reply.toString("latin1")), "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function setUp(version: string) {
  const server = await openRedis();
  const port = version === "6.2" ? await startProxy(server.port, asRedis62) : server.port;
  const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 20 });
  client.on("error", () => undefined);
  const store = createRedisStore({ client });
  onTestFinished(async () => {
    client.disconnect();
    await store.close?.();
  });
  await store.put("key", "value", minute);
  return { server, store };
}

/** Returns the id of the store's connection. */
async function connectionId({ admin }: RedisServer): Promise<string | undefined> {
  return String(await admin.client("LIST")).match(/id=(\d+) .*name=doorcode-store/)?.[1];
}

describe.skipIf(!isInstalled("redis-server")).each(["6.2", "7.0"])("an error reply of Redis %s", (version) => {
  test.each([
    ["a full server", ["CONFIG", "SET", "maxmemory", "1"], /maxmemory/],
    ["too few replicas", ["CONFIG", "SET", "min-replicas-to-write", "1"], /min-replicas-to-write/],
    ["a key of something else", ["SET", "key", "of somebody else"], /its own prefix/],
  ] as const)("becomes advice for %s", async (_, [command, ...values], says) => {
    const { server, store } = await setUp(version);
    await server.admin.call(command, ...values);
    const written = store.put("key", "value", minute);
    await expect(written).rejects.toMatchObject({ code: "store_unavailable", message: expect.stringMatching(says) });
  });

  test("of a replica makes the store reconnect, which finds the primary", async () => {
    const { server, store } = await setUp(version);
    const before = await connectionId(server);
    await server.admin.replicaof("127.0.0.1", 1);
    await expect(store.put("key", "value", minute)).rejects.toThrow(/replica/);
    const another = async () => ![undefined, before].includes(await connectionId(server));
    await expect.poll(another).toBe(true);
  });
});

test.skipIf(!isInstalled("redis-server"))("a server that has just loaded its data is used at once", async () => {
  const server = await openRedis();
  // A client that asks once a second would be told so for longer than the store waits.
  const client = new Redis(await startProxy(server.port, asLoading(5)), "127.0.0.1", { lazyConnect: true });
  const store = createRedisStore({ client, timeoutSeconds: 3.9 });
  onTestFinished(() => store.close?.());
  await expect(store.get(["key"])).resolves.toEqual([undefined]);
});
