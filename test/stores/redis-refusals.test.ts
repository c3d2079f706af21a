import { type AddressInfo, connect, createServer } from "node:net";
import { createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { isInstalled, type RedisServer, startRedis } from "../support/redis-server.ts";

const minute = { ttlSeconds: 60 };

/** Redis 6.2 wraps what a script meets; what its own checks refuse keeps its dash, what a command answers has none. */
function inOldWords(answer: string): string {
  const wrapping = "-ERR Error running script (call to f_2f31ba2bb6d6a0f42cc159d2e2dad55440778de3): @user_script:2:";
  return answer
    .replace(/^-((?:READONLY|OOM|NOREPLICAS) .*)$/gm, `${wrapping} @user_script: 2: -$1 `)
    .replace(/^-(WRONGTYPE .*)$/gm, `${wrapping} $1 `);
}

/** Starts a wire to a Redis on which refusals come as version 6.2 says them. */
async function startOldRedis(targetPort: number): Promise<number> {
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    const end = () => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on("error", end).once("close", end);
    client.pipe(target);
    target.on("data", (answer) => client.write(inOldWords(answer.toString("latin1")), "latin1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function setUp(words: string) {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const port = words === "6.2" ? await startOldRedis(server.port) : server.port;
  const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 20 });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  const store = createRedisStore({ client });
  await store.put("key", "value", minute);
  return { server, store };
}

/** Names the store's connection: another one has another id. */
async function connectionOf({ admin }: RedisServer): Promise<string | undefined> {
  return String(await admin.client("LIST")).match(/id=(\d+) .*name=doorcode-store/)?.[1];
}

describe.skipIf(!isInstalled("redis-server")).each(["6.2", "7.0"])("what Redis refuses in the words of %s", (words) => {
  test.each([
    ["a full server", ["CONFIG", "SET", "maxmemory", "1"], /maxmemory/],
    ["too few replicas", ["CONFIG", "SET", "min-replicas-to-write", "1"], /min-replicas-to-write/],
    ["a key of something else", ["SET", "key", "of somebody else"], /a prefix of its own/],
  ] as const)("is told with what to do: %s", async (_, [command, ...values], says) => {
    const { server, store } = await setUp(words);
    await server.admin.call(command, ...values);
    const written = store.put("key", "value", minute);
    await expect(written).rejects.toMatchObject({ code: "store_unavailable", message: expect.stringMatching(says) });
  });

  test("because it is a replica now makes the store connect anew, which finds the primary", async () => {
    const { server, store } = await setUp(words);
    const before = await connectionOf(server);
    await server.admin.replicaof("127.0.0.1", 1);
    await expect(store.put("key", "value", minute)).rejects.toThrow(/replica/);
    const another = async () => ![undefined, before].includes(await connectionOf(server));
    await expect.poll(another, { timeout: 10_000, interval: 20 }).toBe(true);
  });
});
