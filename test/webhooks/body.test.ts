import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { openPlatforms } from "../support/platforms.ts";
import { beginPost, type HeaderLines, openConnection, type RawPost } from "../support/raw-post.ts";
import { messageEvent, secondsOf, setUpWebhooks, signed, typesOf } from "../support/webhook-setup.ts";

const everyStore = await openPlatforms();

/** Parsing and serializing gives this same text: a kit that signed the serialized body would accept it. */
const body = JSON.stringify(messageEvent("SENT"));
const declared = ["content-length", String(Buffer.byteLength(body))] as const;

describe.each(hosts)("a delivery on $name", (host) => {
  test.each(["identity", "Identity", ""])("W6: is accepted with the content encoding %j", async (encoding) => {
    const { send, clock } = await setUpWebhooks(host);
    const answer = await send([["content-encoding", encoding], ...signed(body, secondsOf(clock))], body);
    expect(answer.status).toBe(204);
  });
});

describe.each(hosts)("the size of a body on $name", (host) => {
  const limitBytes = 1024;
  const padded = (totalBytes: number) => body.padEnd(totalBytes);

  test("W7: the limit of the kit can be above the limit of the framework", async () => {
    const { send, clock } = await setUpWebhooks(host, { limitBytes: 4_194_304 });
    const large = padded(2_097_152);

    expect((await send(signed(large, secondsOf(clock)), large)).status).toBe(204);
  });

  test.each<{ how: string; lines: HeaderLines }>([
    { how: "in chunks", lines: [] },
    { how: "with its length", lines: [["content-length", "1000000000"]] },
  ])("W7: refuses an endless body $how while it arrives, and stops reading", async ({ lines }) => {
    const { url, server, clock, calls } = await setUpWebhooks(host, { limitBytes });
    const post = beginPost(url, [...lines, ...signed(body, secondsOf(clock))]);
    const arriving = nextExchange(server);
    const answered = post.answer();
    for (let written = 0; written < 64; written++) post.write(Buffer.alloc(262_144));
    const { socket } = await arriving;
    const closed = closing(socket);
    const answer = await answered;
    await closed;

    expect([answer.status, answer.code]).toEqual([413, "body_too_large"]);
    expect(answer.headers.connection).toBe("close");
    expect(socket.bytesRead).toBeLessThan(1_048_576);
    expect(await connectionsOf(server)).toBe(0);
    expect(calls).toEqual([]);
  });
});

describe.each(hosts)("a client that hangs up on $name", (host) => {
  test.each<{ where: string; lines: HeaderLines; write: (post: RawPost) => void }>([
    { where: "before the first byte", lines: [declared], write: () => undefined },
    { where: "in the middle", lines: [declared], write: (post) => post.write(body.slice(0, 20)) },
    { where: "one byte before the end", lines: [declared], write: (post) => post.write(body.slice(0, -1)) },
    { where: "before the first chunk", lines: [], write: () => undefined },
    { where: "before the chunk that ends the body", lines: [], write: (post) => post.write(body) },
  ])("W7: $where leaves nothing behind, twenty times in a row", async ({ lines, write }) => {
    const { url, server, clock, deliver, calls, events } = await setUpWebhooks(host);
    const warnings = watchProcess();
    const responses: ServerResponse[] = [];
    for (let client = 0; client < 20; client++) {
      const arriving = nextExchange(server);
      const post = beginPost(url, [...lines, ...signed(body, secondsOf(clock))]);
      write(post);
      const { socket, response } = await arriving;
      responses.push(response);
      const closed = closing(socket);
      post.destroy();
      await closed;
    }
    const connections = await connectionsOf(server);
    const next = await deliver(messageEvent("SENT"));

    expect(connections).toBe(0);
    // Every answer was ended, although no client reads it: no request is still in progress.
    expect(responses.filter((response) => !response.writableEnded)).toEqual([]);
    expect(next.status).toBe(204);
    expect(typesOf(events)).toEqual(["webhook.handled"]);
    expect(calls).toHaveLength(1);
    expect(clock.pending).toBe(0);
    expect(warnings).toEqual([]);
  });

  test("W7: twenty deliveries over one connection leave no listeners", async () => {
    const { url, server, clock, calls } = await setUpWebhooks(host);
    const warnings = watchProcess();
    let connections = 0;
    server.on("connection", () => void connections++);
    const connection = openConnection(url);
    onTestFinished(() => void connection.destroy());
    for (let delivery = 0; delivery < 20; delivery++) {
      const post = beginPost(url, [declared, ...signed(body, secondsOf(clock))], connection);
      post.end(body);
      expect((await post.answer()).status).toBe(204);
    }

    expect(connections).toBe(1);
    expect(calls).toHaveLength(1);
    expect(warnings).toEqual([]);
  });
});

describe.each(everyStore(1))("a client that hangs up while its event is handled, on $name", (platform) => {
  test("W7: does not stop the handler, and the event is handled once", async () => {
    const working = createBarrier();
    const { url, server, clock, deliver, calls, events } = await setUpWebhooks(platform, {
      handle: () => working.pass(),
    });
    const warnings = watchProcess();
    const arriving = nextExchange(server);
    const post = beginPost(url, [declared, ...signed(body, secondsOf(clock))]);
    post.end(body);
    await working.arrived(1);
    const closed = closing((await arriving).socket);
    post.destroy();
    await closed;
    working.open();
    const redelivered = await deliver(messageEvent("SENT"));

    expect(redelivered.status).toBe(204);
    expect(calls).toHaveLength(1);
    expect(typesOf(events)).toEqual(["webhook.handled", "webhook.duplicate"]);
    expect(warnings).toEqual([]);
  });
});

/** Resolves with the next request, below the framework. */
function nextExchange(server: Server): Promise<{ readonly socket: Socket; readonly response: ServerResponse }> {
  return new Promise((resolve) => {
    server.once("request", ({ socket }, response) => resolve({ socket, response }));
  });
}

/** Resolves when the connection is closed. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Collects warnings of the process, such as too many listeners, and unhandled rejections. */
function watchProcess(): readonly unknown[] {
  const warnings: unknown[] = [];
  const note = (warning: unknown) => void warnings.push(warning);
  process.on("warning", note).on("unhandledRejection", note);
  onTestFinished(() => void process.off("warning", note).off("unhandledRejection", note));
  return warnings;
}
