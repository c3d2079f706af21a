import type { WebhookEvent } from "@doorcode/core";
import { createBullInbox, createRedisStore } from "@doorcode/redis";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Payload } from "../inbox/deliveries.ts";
import { createBarrier } from "../support/barrier.ts";
import type { Answer } from "../support/browser.ts";
import { type Host, hosts } from "../support/hosts.ts";
import { appOwned, newestCode, wrongCode } from "../support/login-setup.ts";
import { type RedisSentinel, startRedisSentinel } from "../support/redis-sentinel.ts";
import { isInstalled, type RedisServer } from "../support/redis-server.ts";
import { endRedisLeases } from "../support/redis-time.ts";
import { openApp } from "./app.ts";
import { courseOf, keysOf } from "./message-course.ts";

const [queued, sent, delivered] = courseOf("msg_1");

describe.skipIf(!isInstalled("redis-server"))("a primary that is replaced by its replica", { timeout: 60_000 }, () => {
  test.each(["failOver", "crash"] as const)(
    "by %s under Sentinel: logins and webhooks continue at the new primary, with all data",
    async (cause) => {
      const sentinel = await startRedisSentinel();
      onTestFinished(sentinel.stop);
      const logins = await Promise.all(hosts.map((host) => beginOn(sentinel, host)));
      // WAIT covers the writes of its own connection, and so everything that was written before.
      await sentinel.primary.admin.set("last", "write");
      expect(await sentinel.primary.admin.wait(1, 10_000)).toBe(1);
      await sentinel[cause]();
      for (const { app, isKeptBy } of logins) {
        const [probe] = courseOf("msg_probe");
        const arrives = async () => [(await app.deliver(probe)).status, await isKeptBy(sentinel.replica, probe)];
        await expect.poll(arrives).toEqual([204, true]);
      }
      await sentinel.tellFormerPrimary();
      for (const { app, browser, prefix, working, effects } of logins) {
        working.open();
        const last = await untilServed(() => app.deliver(delivered));
        const right = await untilServed(() => browser.post("/login/confirm", { code: newestCode(app.service) }));
        const guarded = await untilServed(() => browser.get("/account"));
        const effectsInTime = async () => {
          // A handler whose completion was lost still holds its lease.
          await endRedisLeases(sentinel.replica.admin, prefix);
          return effects();
        };
        const all = keysOf([queued, sent, delivered]);
        await expect.poll(effectsInTime).toEqual(expect.arrayContaining([...all]));

        expect([last.status, right.json.status, guarded.status]).toEqual([204, "logged_in", 200]);
        expect(new Set(app.logins.map(({ loginId }) => loginId)).size).toBe(1);
        app.expectNoSecrets();
      }
    },
  );
});

/**
 * Starts a login with one wrong code, and two webhooks, of which one is being handled. The app owns the codes: a connection
 * that is lost while the service approves a code costs a new code, which the tests of cut connections show.
 */
async function beginOn({ port, name }: RedisSentinel, host: Host) {
  const sentinels = [{ host: "127.0.0.1", port }];
  const client = new Redis({ sentinels, name, retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  onTestFinished(() => client.disconnect());
  const prefix = `${host.name}:`;
  const store = createRedisStore({ client, prefix });
  const inbox = createBullInbox({ client, prefix: `{${host.name}}`, takeOverSeconds: 1 });
  onTestFinished(async () => void (await Promise.all([store.close?.(), inbox.close()])));
  const working = createBarrier();
  const effects = new Set<string>();
  async function handle({ key, data }: WebhookEvent): Promise<void> {
    if (data.status === "SENT") await working.pass();
    effects.add(key);
  }
  const app = await openApp(host, { store, codes: appOwned.codes, webhooks: { inbox }, handle });
  await app.doorcode.work();
  const browser = await app.started();
  const wrong = await browser.post("/login/confirm", { code: wrongCode(app.service) });
  const taken = [await app.deliver(queued), await app.deliver(sent)];
  expect([wrong.json.attemptsLeft, ...taken.map(({ status }) => status)]).toEqual([4, 204, 204]);
  await working.arrived(1);
  const isKeptBy = async ({ admin }: RedisServer, payload: Payload) =>
    (await admin.exists(`{${host.name}}:webhooks:${keysOf([payload])[0]}`)) === 1;
  return { app, browser, prefix, working, effects: () => [...effects], isKeptBy };
}

/** Repeats a request that is refused with 503: a new connection may be lost once more. */
async function untilServed(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  const again = async () => {
    if (answer.status === 503) answer = await ask();
    return answer.status;
  };
  await expect.poll(again).not.toBe(503);
  return answer;
}
