import { expect } from "vitest";
import type { Browser } from "../support/browser.ts";
import { newestCode, phone, wrongCode } from "../support/login-setup.ts";
import { type App, failedClosed, refusalOf } from "./app.ts";

/** Something that keeps a store from working for a while. */
export interface Outage {
  begin(): Promise<unknown>;
  /** Resolves when the store answers again. */
  end(): Promise<unknown>;
  /** What goes on meanwhile; everything else is to be refused. */
  readonly spares?: readonly Request[];
}

/** What can be asked while the store is away. */
const requests = {
  start: (browser: Browser) => browser.post("/login/start", { phone }),
  resend: (browser: Browser) => browser.post("/login/resend"),
  "wrong code": (browser: Browser, { service }: App) => browser.post("/login/confirm", { code: wrongCode(service) }),
  "right code": (browser: Browser, { service }: App) => browser.post("/login/confirm", { code: newestCode(service) }),
  cancel: (browser: Browser) => browser.post("/login/cancel"),
  logout: (browser: Browser) => browser.post("/login/logout"),
  "guarded request": (browser: Browser) => browser.get("/account"),
};

type Request = keyof typeof requests;

/** Budgets of which a send or an attempt too many would be seen. */
export const tight = { limits: { cooldownSeconds: 0, sendsPerPhone: 2 } };

/**
 * Brings a login from its start to its end with an outage before each step, and asserts that it comes to one login of one
 * process: what is asked during the outages is refused, sends nothing, is judged by nobody and counts for nothing.
 *
 * @param app - with {@link tight} limits.
 */
export async function logInThrough(app: App, outage: Outage): Promise<void> {
  const browser = app.open();
  await pass(app, browser, outage, ["start"]);
  await browser.post("/login/start", { phone });
  await pass(app, browser, outage, ["start", "resend", "wrong code", "right code", "cancel", "logout"]);
  const wrong = await requests["wrong code"](browser, app);
  await pass(app, browser, outage, ["resend", "wrong code", "right code", "cancel"]);
  const right = await requests["right code"](browser, app);
  await pass(app, browser, outage, ["start", "logout", "guarded request"]);
  const guarded = await browser.get("/account");
  const thief = browser.copy();
  await pass(app, browser, outage, ["logout", "guarded request"]);
  const out = await browser.post("/login/logout");
  const sends = [await requests.start(app.open()), await requests.start(app.open())];

  expect([wrong.json.code, wrong.json.attemptsLeft]).toEqual(["code_rejected", 4]);
  expect(right.json).toMatchObject({ status: "logged_in", userId: `user ${app.logins[0]?.loginId}` });
  expect([guarded.status, out.json.status, (await thief.get("/account")).status]).toEqual([200, "none", 401]);
  expect(app.logins.map((login) => login.phone)).toEqual([phone]);
  // Of the sends of the number, only those that left are counted.
  expect(sends.map(({ status }) => status)).toEqual([200, 429]);
  app.expectSilence();
}

async function pass(app: App, browser: Browser, outage: Outage, asked: readonly Request[]): Promise<void> {
  const before = await standing(app, browser);
  await outage.begin();
  for (const what of asked.filter((one) => !outage.spares?.includes(one))) {
    const answer = await requests[what](browser, app);
    expect([what, ...refusalOf(answer)]).toEqual([what, ...failedClosed]);
  }
  await outage.end();
  expect(await standing(app, browser)).toEqual(before);
}

/** All that an outage must leave as it was. */
async function standing({ service, logins }: App, browser: Browser) {
  const { expiresInSeconds: _, ...state } = (await browser.get("/login/state")).json;
  const cookies = new Map(browser.cookies);
  return { state, cookies, sent: service.created.length, judged: service.confirmations.length, logins: logins.length };
}
