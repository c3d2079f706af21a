import { describe, expect, test } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { createReceiver, serve } from "./support/receiver.ts";
import { messageRequest, post, start } from "./support/start.ts";

/** Sends one message to a number that never answers. It has exactly one event, SENT. */
async function oneEvent(sandbox: Sandbox, clock: { advance(milliseconds: number): Promise<void> }, changes = {}) {
  await post(sandbox, "/messages", messageRequest({ recipients: ["+491713920020"], ...changes }));
  await clock.advance(50);
  await sandbox.deliveries.settled();
}

describe("destination", () => {
  test.each(["https://example.com/hook", "https://127.0.0.1.example.com/", "https://10.0.0.1/"])(
    "on another machine is accepted but never called: %s",
    async (callback_url) => {
      const { sandbox, clock } = await start();
      await oneEvent(sandbox, clock, { callback_url });
      const [delivery] = sandbox.deliveries.list();
      expect(delivery?.attempts).toEqual([expect.objectContaining({ status: undefined, error: "not_loopback" })]);
    },
  );

  test.each([
    "https://example.com/hook",
    "http://192.168.0.1/",
    "ftp://localhost/",
    "localhost:3000",
    "file:///etc/passwd",
  ])("cannot be on another machine: %s", async (url) => {
    const { sandbox } = await start();
    expect(() => sandbox.deliverTo(url)).toThrow(TypeError);
  });
});

describe("retries", () => {
  test("end with the first 2xx, with any status in that range", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver(500, 299);
    sandbox.deliverTo(await serve(receiver));
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]?.nextAttemptAt).toBe("2026-09-21T14:13:50.050Z");
    await clock.advance(30_000);
    await sandbox.deliveries.settled();
    await clock.advance(86_400_000);
    await sandbox.deliveries.settled();
    expect(receiver.arrivals).toHaveLength(2);
    expect(sandbox.deliveries.list()[0]).toMatchObject({ status: "delivered", nextAttemptAt: undefined });
  });

  test("follow an endpoint without a server", async () => {
    const { sandbox, clock } = await start();
    const gone = await start();
    await gone.sandbox.close();
    sandbox.deliverTo(gone.sandbox.url);
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]).toMatchObject({ status: "pending", attempts: [{ error: "unreachable" }] });
  });

  test.each([
    ["throws", "handler_threw", () => Promise.reject(new Error("no"))],
    ["never answers", "timed_out", () => new Promise<Response>(() => {})],
    ["never ends its answer", "timed_out", () => new Response(new ReadableStream())],
  ])("follow an endpoint that %s", async (_, error, handler) => {
    const { sandbox, clock } = await start({ settings: { webhookTimeoutMilliseconds: 1 } });
    sandbox.deliverTo(handler);
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]).toMatchObject({ status: "pending", attempts: [{ status: undefined, error }] });
  });

  test("follow an endpoint that does not answer within the time-out", async () => {
    const { sandbox, clock } = await start({ settings: { webhookTimeoutMilliseconds: 50 } });
    sandbox.deliverTo(await serve({ handler: () => new Promise(() => {}) }));
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]).toMatchObject({ status: "pending", attempts: [{ error: "timed_out" }] });
  });

  test("do not follow a redirect", async () => {
    const { sandbox, clock } = await start();
    const elsewhere = createReceiver();
    const location = await serve(elsewhere);
    const redirecting = await serve({
      handler: async () => new Response(null, { status: 307, headers: { location } }),
    });
    sandbox.deliverTo(redirecting);
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]?.attempts[0]?.status).toBe(307);
    expect(elsewhere.arrivals).toEqual([]);
  });

  test("keep the beginning of an endless answer, and close it", async () => {
    const { sandbox, clock } = await start();
    sandbox.deliverTo(() => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(999))),
      });
      return new Response(body);
    });
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()[0]).toMatchObject({
      status: "delivered",
      attempts: [{ answer: "x".repeat(2_000) }],
    });
  });
});
