import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { findRedis } from "../../../test/support/redis-server.ts";
import { createWorkerClient } from "../src/connection/duplicate-client.ts";

const server = await findRedis();
afterAll(() => server?.close());

test.skipIf(!server)("a connection that was interrupted does not come back after it is closed", async () => {
  const { connection, interrupt, close, pause } = await connectThroughSentinel();
  pause.milliseconds = 0;
  const closed = emitted(connection, "end").then(close);
  await interrupt(connection);
  await closed;
  // Timers of one length run in order, so the pause before another attempt is over.
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(connection.status).toBe("end");
});

test.skipIf(!server)("a copy ends, even if BullMQ connects it again after its connection is closed", async () => {
  const { connection, copy, close } = await connectThroughSentinel();
  close();
  copy.disconnect();
  await expect.poll(() => [connection.status, copy.status]).toEqual(["end", "end"]);
  await copy.connect();
  await expect.poll(() => copy.status).toBe("end");
});

/** Unlike `once` of Node.js, it does not reject when the connection emits an error. */
const emitted = (own: Redis, event: "ready" | "end") => new Promise<void>((resolve) => own.once(event, resolve));

/** Connects a worker's connection, and a copy of it, through a Sentinel that can announce a new primary while it is asked for the primary. */
async function connectThroughSentinel() {
  const sentinel = await startSentinel(Number(new URL(server?.url ?? "").port));
  const sentinels = [{ host: "127.0.0.1", port: sentinel.port }];
  const pause = { milliseconds: 20 };
  const retryStrategy = () => pause.milliseconds;
  const client = new Redis({ sentinels, name: "doorcode", retryStrategy, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  const own = createWorkerClient(client);
  const connection = own.client as Redis;
  const copy = connection.duplicate();
  onTestFinished(() => {
    client.disconnect();
    own.close();
    copy.disconnect();
  });
  await Promise.all([emitted(connection, "ready"), emitted(copy, "ready")]);
  return {
    connection,
    copy,
    pause,
    close: own.close,
    /** Loses a connection, and announces a new primary to all connections while this one is being made again. */
    async interrupt(interrupted: Redis) {
      const { subscribers } = sentinel;
      await expect.poll(() => subscribers.size).toBe(2);
      const question = sentinel.holdNext();
      await client.client("KILL", "ID", await interrupted.client("ID"));
      const answer = await question;
      sentinel.announce();
      // A connection that has heard the announcement listens no more.
      await Promise.all([...subscribers].map((socket) => once(socket, "close")));
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
