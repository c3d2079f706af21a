import { expect } from "vitest";
import type { Browser } from "../support/browser.ts";
import { newestCode, phone, wrongCode } from "../support/login-setup.ts";
import { type App, failedClosed, refusalOf } from "./app.ts";

/** A time in which a store does not work. */
export interface Outage {
  /** True if reads are answered all the same. */
  readonly readsGoOn?: boolean;
  begin(): Promise<unknown>;
  /** Resolves when the store answers again. */
  end(): Promise<unknown>;
}

/** The requests of a login. */
const requests = {
  // In a browser of its own: where the number is under way, a start only reads.
  start: (_browser: Browser, app: App) => app.open().post("/login/start", { phone }),
  resend: (browser: Browser) => browser.post("/login/resend"),
  "wrong code": (browser: Browser, { service }: App) => browser.post("/login/confirm", { code: wrongCode(service) }),
  "right code": (browser: Browser, { service }: App) => browser.post("/login/confirm", { code: newestCode(service) }),
  cancel: (browser: Browser) => browser.post("/login/cancel"),
  logout: (browser: Browser) => browser.post("/login/logout"),
  "guarded request": (browser: Browser) => browser.get("/account"),
};

type Request = keyof typeof requests;

/** Limits at which one send or one attempt too many would show. */
export const tight = { limits: { cooldownSeconds: 0, sendsPerPhone: 2 } };

/**
 * Logs in with an outage before each step, and asserts that it becomes one login: requests during the outages are refused,
 * send no code, check no code and count for no limit.
 *
 * @param app - with {@link tight} limits.
 */
export async function logInThrough(app: App, outage: Outage): Promise<void> {
  const browser = app.open();
  await refuseDuring(app, browser, outage, ["start"]);
  await browser.post("/login/start", { phone });
  await refuseDuring(app, browser, outage, ["start", "resend", "wrong code", "right code", "cancel", "logout"]);
  const wrong = await requests["wrong code"](browser, app);
  await refuseDuring(app, browser, outage, ["resend", "wrong code", "right code", "cancel"]);
  const right = await requests["right code"](browser, app);
  await refuseDuring(app, browser, outage, ["start", "logout", "guarded request"]);
  const guarded = await browser.get("/account");
  const thief = browser.copy();
  await refuseDuring(app, browser, outage, ["logout", "guarded request"]);
  const out = await browser.post("/login/logout");
  const sends = [await requests.start(browser, app), await requests.start(browser, app)];

  expect([wrong.json.code, wrong.json.attemptsLeft]).toEqual(["code_rejected", 4]);
  expect(right.json).toMatchObject({ status: "logged_in", userId: `user ${app.logins[0]?.loginId}` });
  expect([guarded.status, out.json.status, (await thief.get("/account")).status]).toEqual([200, "none", 401]);
  expect(app.logins.map((login) => login.phone)).toEqual([phone]);
  // Only the codes that were sent count for the limit of the number.
  expect(sends.map(({ status }) => status)).toEqual([200, 429]);
  app.expectNoSecrets();
}

async function refuseDuring(app: App, browser: Browser, outage: Outage, asked: readonly Request[]): Promise<void> {
  const before = await stateOf(app, browser);
  await outage.begin();
  for (const what of asked) {
    const answer = await requests[what](browser, app);
    const onlyReads = what === "guarded request";
    if (onlyReads && outage.readsGoOn) expect([what, answer.status]).toEqual([what, 200]);
    else expect([what, ...refusalOf(answer)]).toEqual([what, ...failedClosed]);
  }
  await outage.end();
  expect(await stateOf(app, browser)).toEqual(before);
}

/** Answers everything that an outage must not change. */
async function stateOf({ service, logins }: App, browser: Browser) {
  const { expiresInSeconds: _, ...state } = (await browser.get("/login/state")).json;
  const cookies = new Map(browser.cookies);
  return { state, cookies, sent: service.created.length, judged: service.confirmations.length, logins: logins.length };
}
