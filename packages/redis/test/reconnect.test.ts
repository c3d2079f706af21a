import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { findRedis } from "../../../test/support/redis-server.ts";
import { createWorkerClient } from "../src/connection/duplicate-client.ts";
import { endConnection } from "../src/connection/end-with-client.ts";
import { hasEnded } from "../src/connection/reconnect.ts";

const server = await findRedis();
afterAll(() => server?.close());

test.skipIf(!server)("a connection that a failover interrupts has not ended when its commands reject", async () => {
  const { own, interrupt } = await connectThroughSentinel();
  await interrupt({ connections: 1 });
  const rejected = expect(own.get("key")).rejects.toThrow();
  const ended: boolean[] = [];
  own.on("error", () => queueMicrotask(() => ended.push(hasEnded(own))));
  await rejected;

  expect([own.status, ended]).toEqual(["end", [false]]);
  await expect.poll(() => own.status).toBe("ready");
});

test.skipIf(!server)("a copy stays when a failover interrupts its connection, and ends with it", async () => {
  const { client, own, pause, interrupt } = await connectThroughSentinel();
  const copy = own.duplicate();
  // The copy is connected again before the attempt of its connection has ended.
  const whenCopyIsBack = () => emitted(copy, "ready");
  await interrupt({ connections: 2, release: whenCopyIsBack });
  await emitted(own, "end");
  await emitted(own, "ready");
  expect(copy.status).toBe("ready");

  await interrupt({ connections: 2, release: whenCopyIsBack });
  pause.milliseconds = 60_000;
  await emitted(own, "end");
  pause.milliseconds = 20;
  await client.client("KILL", "ID", await copy.client("ID"));
  await emitted(copy, "ready");
  expect(copy.status).toBe("ready");

  endConnection(own);
  expect(hasEnded(own)).toBe(true);
  await expect.poll(() => copy.status).toBe("end");
});

/** Unlike `once` of Node.js, it does not reject when the connection emits an error. */
const emitted = (own: Redis, event: "ready" | "end") => new Promise<void>((resolve) => own.once(event, resolve));

/** Connects a worker's connection through a Sentinel that can announce a new primary while it is asked for the primary. */
async function connectThroughSentinel() {
  const sentinel = await startSentinel(Number(new URL(server?.url ?? "").port));
  const sentinels = [{ host: "127.0.0.1", port: sentinel.port }];
  const pause = { milliseconds: 20 };
  const retryStrategy = () => pause.milliseconds;
  const client = new Redis({ sentinels, name: "doorcode", retryStrategy, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  const own = createWorkerClient(client) as Redis;
  await emitted(own, "ready");
  return {
    client,
    own,
    pause,
    /** Loses the connection, and announces a new primary to all connections while this one is being made again. */
    async interrupt({ connections, release }: { connections: number; release?: () => Promise<void> }) {
      const { subscribers } = sentinel;
      await expect.poll(() => subscribers.size).toBe(connections);
      const question = sentinel.holdNext();
      await client.client("KILL", "ID", await own.client("ID"));
      const answer = await question;
      const released = release?.();
      sentinel.announce();
      // A connection that has heard the announcement listens no more.
      await Promise.all([...subscribers].map((socket) => once(socket, "close")));
      await released;
      answer();
    },
  };
}

/** Starts a Sentinel that names one primary, answers late on wish, and announces a primary on wish. */
async function startSentinel(primaryPort: number) {
  const subscribers = new Set<Socket>();
  let onQuestion: ((answer: () => void) => void) | undefined;
  function nameFor(socket: Socket): void {
    const answer = () =>
      void socket.write(`*2\r\n$9\r\n127.0.0.1\r\n$${`${primaryPort}`.length}\r\n${primaryPort}\r\n`);
    const isHeld = onQuestion !== undefined;
    onQuestion?.(answer);
    onQuestion = undefined;
    if (!isHeld) answer();
  }
  function reply(socket: Socket, command: string): void {
    if (command.includes("hello")) socket.write("-ERR unknown command 'HELLO'\r\n");
    else if (command.includes("get-master-addr-by-name")) nameFor(socket);
    else if (command.includes("subscribe")) {
      subscribers.add(socket);
      socket.write("*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n");
    } else socket.write(command.includes("sentinels") ? "*0\r\n" : "+OK\r\n");
  }
  const listener = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("close", () => subscribers.delete(socket));
    socket.on("data", (bytes) => {
      const commands = bytes
        .toString()
        .toLowerCase()
        .split(/\*\d+\r\n/)
        .slice(1);
      for (const command of commands) reply(socket, command);
    });
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  onTestFinished(() => void listener.close());
  return {
    port: (listener.address() as { port: number }).port,
    subscribers,
    /** Resolves at the next question for the primary, with what answers it. */
    holdNext: () =>
      new Promise<() => void>((resolve) => {
        onQuestion = resolve;
      }),
    announce() {
      for (const socket of subscribers) socket.write("*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$3\r\nnew\r\n");
    },
  };
}
