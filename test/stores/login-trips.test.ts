import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { limits, loginRequests } from "../login/login-requests.ts";
import { countTrips, expectTrips, type TripCounter, type Wire } from "../login/trip-counter.ts";
import { hosts } from "../support/hosts.ts";
import { setUpLogin } from "../support/login-setup.ts";
import { findRedis } from "../support/redis-server.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";
import { setUpProxy } from "./redis-setup.ts";

const host = hosts[0] ?? expect.fail("There is no host.");
const redis = await findRedis();
afterAll(() => redis?.close());

describe.runIf(redis)("what a login asks of Redis", () => {
  const { url } = redis ?? { url: "" };
  const prefix = `doorcode-test-${randomUUID()}:`;
  const admin = new Redis(url, { lazyConnect: true });
  afterAll(async () => {
    const left = await admin.keys(`${prefix}*`);
    if (left.length > 0) await admin.unlink(left);
    admin.disconnect();
  });

  test.each(loginRequests)("$what: each trip is at the server before any of it is answered", async (request) => {
    const { store, proxy } = await setUpProxy(url, { prefix });
    const counter = countTrips(store);
    // The first script takes a second trip: it is taught to the server.
    await store.get(["taught"]);
    const login = await setUpLogin(host, { codes: request.codes, store: counter.store, login: { limits } });
    const browser = await request.prepare(login);
    const answer = await expectTrips(
      counter,
      request.trips,
      () => request.request(browser, login),
      await watchWire(admin, proxy),
    );
    expect(answer.status).toBe(request.status);
  });
});

/** Keeps answers back behind the store's own connection, and counts the keys that arrive meanwhile. */
async function watchWire(admin: Redis, proxy: TcpProxy): Promise<Wire> {
  const monitor = await admin.monitor();
  onTestFinished(() => monitor.disconnect());
  let keys = 0;
  monitor.on("monitor", (_time: string, [, , keysOfScript]: readonly string[], source: string) => {
    if (proxy.sourcePorts.has(Number(source.split(":").at(-1)))) keys += Number(keysOfScript);
  });
  return {
    async arrived(counter: TripCounter) {
      await expect.poll(() => keys, { interval: 2, timeout: 5000 }).toBe(counter.keys);
      keys = 0;
    },
    open: proxy.restore,
    close: proxy.holdAnswers,
  };
}
