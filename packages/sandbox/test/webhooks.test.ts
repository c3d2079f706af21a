import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { createReceiver, expectedSignature, serve } from "./support/receiver.ts";
import { confirm, messageRequest, post, start, startVerification } from "./support/start.ts";

const retryDelays = [30_000, 120_000, 600_000, 3_600_000];

/** Sends one message to a number that never answers. It has exactly one event, SENT. */
async function oneEvent(sandbox: Sandbox, clock: { advance(milliseconds: number): Promise<void> }, changes = {}) {
  await post(sandbox, "/messages", messageRequest({ recipients: ["+491713920020"], ...changes }));
  await clock.advance(50);
  await sandbox.deliveries.settled();
}

describe("signature", () => {
  test("is the HMAC of timestamp, period and the exact bytes that arrive over HTTP", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver();
    sandbox.deliverTo(await serve(receiver));
    const { id, code } = await startVerification(sandbox);
    await clock.advance(250);
    await confirm(sandbox, id, code);
    await sandbox.deliveries.settled();

    expect(receiver.arrivals).toHaveLength(3);
    for (const arrival of receiver.arrivals) {
      expect(arrival.headers.get("content-type")).toBe("application/json");
      expect(arrival.headers.get("x-webhook-timestamp")).toMatch(/^\d{10}$/);
      expect(arrival.headers.get("x-webhook-signature")).toBe(expectedSignature("sandbox-webhook-secret", arrival));
    }
  });

  test("has a timestamp of the wall clock, not of the sandbox's clock", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver();
    sandbox.deliverTo(receiver.handler);
    const earliest = Math.floor(Date.now() / 1000);
    await clock.advance(86_400_000 * 365);
    await oneEvent(sandbox, clock);
    const timestamp = Number(receiver.arrivals[0]?.headers.get("x-webhook-timestamp"));
    expect(timestamp).toBeGreaterThanOrEqual(earliest);
    expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);
  });

  test("uses the secret of each application", async () => {
    const { sandbox, clock } = await start();
    const second = sandbox.createApplication();
    const [first, other] = [createReceiver(), createReceiver()];
    sandbox.deliverTo(first.handler);
    second.deliverTo(other.handler);
    await post(sandbox, "/messages", messageRequest());
    await post(second, "/messages", messageRequest());
    await clock.advance(50);
    expect(second.env.WEBHOOK_SECRET).not.toBe(sandbox.env.WEBHOOK_SECRET);
    for (const [application, { arrivals }] of [
      [sandbox, first],
      [second, other],
    ] as const) {
      expect(arrivals).toHaveLength(1);
      for (const arrival of arrivals) {
        const expected = expectedSignature(application.env.WEBHOOK_SECRET, arrival);
        expect(arrival.headers.get("x-webhook-signature")).toBe(expected);
      }
    }
  });
});

describe("destination", () => {
  test("is the callback_url of the request instead of any endpoint, for messages and verifications", async () => {
    const { sandbox, clock } = await start();
    const [endpoint, callback] = [createReceiver(), createReceiver()];
    sandbox.deliverTo(endpoint.handler);
    const callback_url = await serve(callback);
    await oneEvent(sandbox, clock, { callback_url });
    await startVerification(sandbox, { callback_url });
    await clock.advance(50);
    await sandbox.deliveries.settled();
    expect(endpoint.arrivals).toEqual([]);
    expect(callback.arrivals.map(({ payload }) => payload.event)).toEqual([
      "message.status.update",
      "verification.update",
    ]);
    await oneEvent(sandbox, clock);
    expect(endpoint.arrivals).toHaveLength(1);
  });

  test("does not exist without endpoint and callback_url", async () => {
    const { sandbox, clock } = await start();
    await oneEvent(sandbox, clock);
    expect(sandbox.deliveries.list()).toEqual([]);
  });

  test("is only an endpoint that selected the event", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver();
    sandbox.deliverTo(receiver.handler, { events: ["verification.update"] });
    await oneEvent(sandbox, clock);
    await startVerification(sandbox);
    await clock.advance(50);
    expect(receiver.arrivals.map(({ payload }) => payload.event)).toEqual(["verification.update"]);
  });

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
  test("make five attempts on the schedule, not a millisecond early, and then fail", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver(500);
    sandbox.deliverTo(receiver.handler);
    await oneEvent(sandbox, clock);
    for (const [index, delay] of retryDelays.entries()) {
      expect(sandbox.deliveries.list()[0]?.status).toBe("pending");
      await clock.advance(delay - 1);
      expect(receiver.arrivals).toHaveLength(index + 1);
      await clock.advance(1);
      expect(receiver.arrivals).toHaveLength(index + 2);
    }
    await clock.advance(86_400_000);
    expect(receiver.arrivals).toHaveLength(5);
    const [delivery] = sandbox.deliveries.list();
    expect(delivery).toMatchObject({ status: "failed", nextAttemptAt: undefined });
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  });

  test("send the same bytes with a new signature each time", async () => {
    const { sandbox, clock } = await start();
    const receiver = createReceiver(503, 401, 302, 404, 200);
    sandbox.deliverTo(receiver.handler);
    // Fakes only Date, so that HTTP and the sandbox's own clock keep running.
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    await oneEvent(sandbox, clock);
    for (const [index, delay] of retryDelays.entries()) {
      vi.setSystemTime(1_800_000_000_999 + (index + 1) * 1000);
      await clock.advance(delay);
    }

    const timestamps = receiver.arrivals.map(({ headers }) => headers.get("x-webhook-timestamp"));
    expect(timestamps).toEqual(["1800000000", "1800000001", "1800000002", "1800000003", "1800000004"]);
    expect(new Set(receiver.arrivals.map(({ bytes }) => bytes)).size).toBe(1);
    const signatures = receiver.arrivals.map(({ headers }) => headers.get("x-webhook-signature"));
    expect(signatures).toEqual(
      receiver.arrivals.map((arrival) => expectedSignature(sandbox.env.WEBHOOK_SECRET, arrival)),
    );
    const [delivery] = sandbox.deliveries.list();
    expect(delivery?.attempts.map(({ signature }) => signature)).toEqual(signatures);
    expect(delivery?.attempts.map(({ timestamp }) => timestamp)).toEqual(timestamps);
    expect(delivery?.status).toBe("delivered");
  });

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

  test("follow a time-out of five seconds on the wall clock by default", async () => {
    const { sandbox, clock } = await start();
    const { setTimeout } = timers;
    const limit = vi.spyOn(timers, "setTimeout").mockImplementation((task: () => void) => setTimeout(task, 0));
    syncBuiltinESMExports();
    onTestFinished(() => {
      limit.mockRestore();
      syncBuiltinESMExports();
    });
    sandbox.deliverTo(() => new Promise(() => {}));
    await oneEvent(sandbox, clock);
    expect(limit.mock.calls).toEqual([[expect.any(Function), 5_000]]);
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
