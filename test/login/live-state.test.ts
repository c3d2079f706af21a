import { describe, expect, test } from "vitest";
import { createBarrier } from "../support/barrier.ts";
import type { Answer, Browser } from "../support/browser.ts";
import type { Deployment } from "../support/deployment.ts";
import { host } from "../support/hosts.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import {
  type LoginSetup,
  type LoginSetupOptions,
  newestCode,
  otherPhone,
  password,
  phone,
  setUpLogin,
  wrongCode,
} from "../support/login-setup.ts";
import { inMemory } from "../support/platforms.ts";
import { deliverNewest, webhookSecret as secret } from "./deliver-verification.ts";

const delivered = { status: "delivered", channel: "SMS", attempts: [{ channel: "SMS", status: "delivered" }] };

/** Asks for the state with another version than the one that the browser has now. */
async function askForChange(browser: Browser, path = "/login"): Promise<{ readonly answer: Promise<Answer> }> {
  const { json } = await browser.get(`${path}/state`);
  expect(json.status).toBe("code_sent");
  return { answer: browser.get(`${path}/state?after=${json.version}&waitSeconds=20`) };
}

/** A wait schedules its end and its next look at the store. */
async function oneWaits({ clock }: Pick<LoginSetup, "clock">): Promise<void> {
  await expect.poll(() => clock.pending).toBe(2);
}

/** Starts two processes of one app, each with its own client of the store. */
async function setUpTwo(platform: (typeof inMemory)[number], app: Deployment, options: LoginSetupOptions = {}) {
  const shared = { app, options: { webhooks: { secret } } };
  const first = await setUpLogin(platform, { ...shared, ...options });
  const second = await setUpLogin(platform, { ...shared, service: first.service });
  return { first, second };
}

/** Lets the page that waits read its state again, as it does each second. */
async function readAgain(app: Deployment, process: LoginSetup): Promise<void> {
  await oneWaits(process);
  await app.clock.advance(1000);
}

describe.each(inMemory)("a page that waits, on $name, codes of $owner", (platform) => {
  test("learns of a webhook that came to another process", async () => {
    const app = platform.deploy();
    const { first, second } = await setUpTwo(platform, app);
    const browser = await first.started();
    const { answer } = await askForChange(browser);
    await oneWaits(first);
    await deliverNewest(second, "DELIVERED", first);
    await readAgain(app, first);
    expect((await answer).json.delivery).toEqual(delivered);
  });

  test("learns of a webhook that comes after it has read the state and before it listens", async () => {
    const app = platform.deploy();
    const reading = createBarrier();
    let isHeld = false;
    // The answer of the store is old when the page gets it.
    const store = interceptStore(app.connect(), async ({ what }, ask) => {
      const read = await ask();
      if (isHeld && what.startsWith("get superseded")) {
        isHeld = false;
        await reading.pass();
      }
      return read;
    });
    const { first, second } = await setUpTwo(platform, app, { store });
    const browser = await first.started();
    const { json } = await browser.get("/login/state");
    isHeld = true;
    const answer = browser.get(`/login/state?after=${json.version}&waitSeconds=20`);
    await reading.arrived(1);
    await deliverNewest(second, "DELIVERED", first);
    reading.open();
    await readAgain(app, first);
    expect((await answer).json.delivery).toEqual(delivered);
  });

  test("learns that another login of its number was completed", async () => {
    const app = platform.deploy();
    const { first, second } = await setUpTwo(platform, app);
    const browser = await first.started();
    const { answer } = await askForChange(browser);
    await oneWaits(first);
    const other = await second.started();
    const { status } = await other.post("/login/confirm", { code: newestCode(first.service) });
    await readAgain(app, first);
    expect([status, (await answer).json.status]).toEqual([200, "none"]);
  });
});

describe("the version of a state", () => {
  test("is the same in each answer and as seconds pass, and another one after every change", async () => {
    const login = await setUpLogin(host, { options: { webhooks: { secret } } });
    const browser = login.open();
    const started = await browser.post("/login/start", { phone });
    await login.clock.advance(7000);
    const state = await browser.get("/login/state");
    expect(state.json.version).toBe(started.json.version);
    expect(state.json.expiresInSeconds).toBe(593);

    const versions = [state.json.version];
    const acts: (() => Promise<unknown>)[] = [
      () => browser.post("/login/confirm", { code: wrongCode(login.service) }),
      () => deliverNewest(login, "SENT"),
      () => deliverNewest(login),
      () => browser.post("/login/resend"),
      () => browser.post("/login/confirm", { code: newestCode(login.service) }),
      () => browser.post("/login/logout"),
    ];
    for (const act of acts) {
      await act();
      const { json } = await browser.get("/login/state");
      versions.push(json.version);
    }
    expect(new Set(versions).size).toBe(acts.length + 1);
    expect(versions).toEqual(versions.map(() => expect.stringMatching(/^[\w-]{16}$/)));
  });

  test("of a code on its way is another one when the user who is shown beside it is", async () => {
    let name = "Ada";
    const loadUser = (id: string) => ({ id, name });
    const session = {
      password,
      loadUser,
      publicUser: ({ name: shown }: ReturnType<typeof loadUser>) => ({ name: shown }),
    };
    const login = await setUpLogin(host, { options: { session } as never });
    const browser = await login.loggedIn();
    await browser.post("/login/start", { phone: otherPhone });
    const before = (await browser.get("/login/state")).json;
    name = "Ada Lovelace";
    await login.clock.advance(61_000);
    const after = (await browser.get("/login/state")).json;
    expect([before.status, after.status]).toEqual(["code_sent", "code_sent"]);
    expect(before.version).not.toBe(after.version);
  });
});

describe("the number in the answer to a start", () => {
  test("is the one that was understood, also when the login goes on, and the state has it only masked", async () => {
    const login = await setUpLogin(host);
    const browser = login.open();
    const started = await browser.post("/login/start", { phone: "0151 / 234-567 89" });
    const again = await browser.post("/login/start", { phone: "+49 (0)151 23456789" });
    const state = await browser.get("/login/state");
    expect([started.json.number, again.json.number]).toEqual(["+49 1512 3456789", "+49 1512 3456789"]);
    expect(state.json).toMatchObject({ phone: "+49 ••• ••• 6789" });
    expect(state.text).not.toContain("3456789");
  });

  test("is left out of a step-up, whose page has not typed it", async () => {
    const login = await setUpLogin(host, { account: true });
    const started = await (await login.loggedIn()).post("/step-up/start");
    expect(started.json).toMatchObject({ status: "code_sent" });
    expect(started.json).not.toHaveProperty("number");
  });
});
