import type { Server } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { hosts } from "../support/hosts.ts";
import { openPlatforms } from "../support/platforms.ts";
import { beginPost } from "../support/raw-post.ts";
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

  test("W7: can be larger than the limit of the framework, if the limit of the kit is", async () => {
    const { send, clock } = await setUpWebhooks(host, { limitBytes: 4_194_304 });
    const large = body.padEnd(2_097_152);
    expect((await send(signed(large, secondsOf(clock)), large)).status).toBe(204);
  });
});

describe.each(everyStore(1))("a client that hangs up while its event is handled, on $name", (platform) => {
  test("W7: does not stop the handler, and the event is handled once", async () => {
    const working = createBarrier();
    const { url, server, clock, deliver, calls, events } = await setUpWebhooks(platform, {
      handle: () => working.pass(),
    });
    const warnings = watchProcess();
    const arriving = nextConnection(server);
    const post = beginPost(url, [declared, ...signed(body, secondsOf(clock))]);
    post.end(body);
    await working.arrived(1);
    const closed = closing(await arriving);
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

/** Resolves with the connection of the next request, below the framework. */
function nextConnection(server: Server): Promise<Socket> {
  return new Promise((resolve) => server.once("request", ({ socket }) => resolve(socket)));
}

/** Resolves when the connection is closed. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Collects warnings of the process, such as too many listeners, and unhandled rejections. */
function watchProcess(): readonly unknown[] {
  const warnings: unknown[] = [];
  const note = (warning: unknown) => void warnings.push(warning);
  process.on("warning", note).on("unhandledRejection", note);
  onTestFinished(() => void process.off("warning", note).off("unhandledRejection", note));
  return warnings;
}
