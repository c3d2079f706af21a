import { setImmediate } from "node:timers/promises";
import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import type { Browser } from "../support/browser.ts";
import { hosts } from "../support/hosts.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { appOwned, newestCode, phone, serviceOwned, setUpLogin } from "../support/login-setup.ts";

/** Wraps a store: calls that are made before an earlier one is answered are one round trip. */
function countTrips() {
  const counted = { trips: 0 };
  let pending = 0;
  const store = interceptStore(createMemoryStore({ clock: createManualClock() }), async (_call, ask) => {
    if (pending === 0) counted.trips++;
    pending++;
    await setImmediate();
    try {
      return await ask();
    } finally {
      pending--;
    }
  });
  return { store, counted };
}

test.each(hosts)(
  "a guard asks the store once, a start at most 5 and a right code at most 11 times, on $name",
  async (host) => {
    for (const { codes } of [serviceOwned, appOwned]) {
      const { store, counted } = countTrips();
      const login = await setUpLogin(host, { codes, store, login: { beforeSend: () => "allow" } });
      const browser = login.open();
      const tripsOf = async (request: (browser: Browser) => Promise<unknown>) => {
        counted.trips = 0;
        await request(browser);
        return counted.trips;
      };

      expect(await tripsOf(({ post }) => post("/login/start", { phone }))).toBeLessThanOrEqual(5);
      expect(
        await tripsOf(({ post }) => post("/login/confirm", { code: newestCode(login.service) })),
      ).toBeLessThanOrEqual(11);
      expect(await tripsOf(({ get }) => get("/account"))).toBe(1);
    }
  },
);
