import { createMemoryStore } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { expect, test } from "vitest";
import { host } from "../support/hosts.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { newestCode, phone, serviceOwned, setUpLogin } from "../support/login-setup.ts";

test("a guard makes one call of the store, a start at most 5 and a right code at most 15", async () => {
  let calls = 0;
  const store = interceptStore(createMemoryStore({ clock: createManualClock() }), (_call, ask) => {
    calls++;
    return ask();
  });
  const { codes } = serviceOwned;
  const { open, service } = await setUpLogin(host, { codes, store, login: { beforeSend: () => "allow" } });
  const browser = open();
  const callsOf = async (request: () => Promise<unknown>) => {
    calls = 0;
    await request();
    return calls;
  };

  expect(await callsOf(() => browser.post("/login/start", { phone }))).toBeLessThanOrEqual(5);
  const confirm = () => browser.post("/login/confirm", { code: newestCode(service) });
  expect(await callsOf(confirm)).toBeLessThanOrEqual(15);
  expect(await callsOf(() => browser.get("/account"))).toBe(1);
});
