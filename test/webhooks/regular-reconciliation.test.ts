import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import { createFailingStore } from "../support/failing-store.ts";
import { openPlatforms } from "../support/platforms.ts";
import { instant, messageEvent, setUpWebhooks, statuses, type WebhookSetup } from "../support/webhook-setup.ts";
import { startListingService } from "./listing-service.ts";

const everyStore = await openPlatforms();

const period = 600;
/** The processes ask this often whether a run is due. */
const stepMilliseconds = 60_000;
const periodMilliseconds = period * 1000;

/** The message of an event, as the service lists it. */
function listed(status: string, status_updated_at: string, message_id: string) {
  return messageEvent(status, status_updated_at, message_id).data;
}

function ofType(processes: readonly WebhookSetup[], type: string) {
  return processes.flatMap(({ events }) => events.filter((event) => event.type === type));
}

/** Resolves when the processes have published that many events of the type. */
async function published(processes: readonly WebhookSetup[], type: string, count: number): Promise<void> {
  await expect.poll(() => ofType(processes, type).length).toBe(count);
}

describe.each(everyStore(1))("webhooks.reconcileEverySeconds on $name", (platform) => {
  async function setUp() {
    const app = platform.deploy();
    const service = await startListingService();
    const options = { app, service: service.options, reconcileEverySeconds: period };
    return { app, service, options };
  }

  test("finds a lost webhook in one of two processes, once in a period, and publishes the counts", async () => {
    const { app, service, options } = await setUp();
    const processes = [await setUpWebhooks(platform, options), await setUpWebhooks(platform, options)];
    service.messages.push(listed("SENT", instant(15), "lost"), listed("QUEUED", instant(15), "waiting"));
    await app.clock.advance(stepMilliseconds);
    await published(processes, "webhook.reconciled", 1);
    await app.clock.advance(periodMilliseconds - 1000);
    const askedInPeriod = service.asked;
    await app.clock.advance(stepMilliseconds);
    await published(processes, "webhook.reconciled", 2);
    const webhook = await processes[0]?.deliver(messageEvent("SENT", instant(15), "lost"));

    const found = { type: "webhook.reconciled", listed: 2, changed: 1, failed: 0 };
    expect(ofType(processes, "webhook.reconciled")).toEqual(
      expect.arrayContaining([
        { ...found, accepted: 1, known: 0 },
        { ...found, accepted: 0, known: 1 },
      ]),
    );
    expect([askedInPeriod, service.asked]).toEqual([1, 2]);
    expect(processes.flatMap(({ calls }) => statuses(calls))).toEqual(["SENT"]);
    expect(webhook?.status).toBe(204);
    expect(ofType(processes, "webhook.duplicate")).toHaveLength(2);
  });

  test("continues where the last run began, after an outage of two days", async () => {
    const { app, service, options } = await setUp();
    const before = await setUpWebhooks(platform, options);
    await app.clock.advance(stepMilliseconds);
    await published([before], "webhook.reconciled", 1);
    await before.doorcode.close();
    service.messages.push(listed("DELIVERED", "2026-09-21T14:30:00Z", "lost"));
    await app.clock.advance(2 * 86_400_000);
    const after = await setUpWebhooks(platform, options);
    await app.clock.advance(stepMilliseconds);
    await published([after], "webhook.reconciled", 1);

    expect(statuses(after.calls)).toEqual(["DELIVERED"]);
  });

  test("publishes a run that failed, and the next one finds what it missed", async () => {
    const { app, service, options } = await setUp();
    const only = await setUpWebhooks(platform, options);
    service.messages.push(listed("SENT", "2026-09-21T14:00:00Z", "lost"));
    service.onAsked = () => 401;
    await app.clock.advance(stepMilliseconds);
    await published([only], "webhook.reconcile_failed", 1);
    service.onAsked = () => 200;
    service.messages.push(listed("SENT", "2026-09-21T14:20:00Z", "later"));
    await app.clock.advance(periodMilliseconds + stepMilliseconds);
    await published([only], "webhook.reconciled", 1);

    expect(ofType([only], "webhook.reconcile_failed")).toMatchObject([{ error: { name: "DoorcodeError" } }]);
    expect(only.calls.map(({ data }) => data.message_id)).toContain("later");
  });

  test("is continued by another process, a period later, when its process dies in a run", async () => {
    const { app, service, options } = await setUp();
    const failing = createFailingStore(app);
    const dying = await setUpWebhooks(platform, { ...options, store: failing.store });
    service.messages.push(listed("SENT", instant(15), "lost"));
    service.onAsked = () => {
      failing.failOn();
      return 200;
    };
    await app.clock.advance(stepMilliseconds);
    await published([dying], "webhook.reconcile_failed", 1);
    service.onAsked = () => 200;
    const next = await setUpWebhooks(platform, options);
    await app.clock.advance(periodMilliseconds - stepMilliseconds - 1000);
    const askedInPeriod = service.asked;
    await app.clock.advance(3 * stepMilliseconds);
    await published([next], "webhook.reconciled", 1);

    expect(askedInPeriod).toBe(1);
    expect(statuses(next.calls)).toEqual(["SENT"]);
  });

  test("ends with doorcode.close(), in the middle of a run too, and leaves nothing behind", async () => {
    const { app, service, options } = await setUp();
    const only = await setUpWebhooks(platform, options);
    const listing = createBarrier();
    onTestFinished(listing.open);
    service.onAsked = () => listing.pass().then(() => 200);
    const advanced = app.clock.advance(stepMilliseconds);
    await listing.arrived(1);
    await advanced;
    await only.doorcode.close();
    await app.clock.advance(3 * periodMilliseconds);

    expect(service.asked).toBe(1);
    expect(app.clock.pending).toBe(0);
    expect(only.events.filter(({ type }) => type.startsWith("webhook."))).toEqual([]);
  });
});

test("webhooks.reconcileEverySeconds does not keep its process alive", async () => {
  const program = `
    import { createDoorcode } from "@doorcode/core";
    const service = { baseUrl: "http://127.0.0.1:9", apiKey: "sk_of_the_tests" };
    createDoorcode({ service, webhooks: { secret: "whk_of_the_tests", reconcileEverySeconds: 86_400 } });
  `;
  const args = ["-C", "@doorcode/source", "--input-type=module", "-e", program];
  const cwd = resolve(import.meta.dirname, "../..");
  const { status, signal } = spawnSync(process.execPath, args, { cwd, timeout: 60_000, stdio: "inherit" });
  expect([status, signal]).toEqual([0, null]);
});
