import { createServer } from "node:http";
import { doorcodeParts } from "@doorcode/core/adapter";
import { recordFigures } from "@doorcode/operations";
import { operations } from "@doorcode/operations/express";
import express from "express";
import type { Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { createOperatedKit, type OperatedKit, secrets } from "../operations/operations-setup.ts";
import { listen } from "../support/listen.ts";
import { test, watch } from "./browser-test.ts";
import { problemsIn } from "./views.ts";

const letter = "a".repeat(64);
const views = [
  "",
  "?country=PL",
  "limits",
  "webhooks",
  "dead-letters",
  `dead-letters/letter?key=${letter}`,
  "store",
  "users",
  "activity",
];
const named = {
  loginId: "login",
  phone: "+48 ••• 89",
  phoneFingerprint: "f",
  purpose: "login",
  durationSeconds: 0.1,
} as const;

const refused = {
  type: "login.send_decided",
  outcome: "refused",
  country: "PL",
  onAlert: false,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
} as const;

interface Setup extends OperatedKit {
  readonly url: string;
  /** Ends the login that the guard of the app asks for. */
  logOut(): void;
}

/** Serves the page with something in each of its views. */
async function serve(): Promise<Setup> {
  const kit = await createOperatedKit();
  const app = express();
  let isLoggedIn = true;
  app.use("/operations", (_req, res, next) => (isLoggedIn ? next() : res.redirect("/login")));
  app.get("/login", (_req, res) => void res.send("<main><h1>Log in</h1></main>"));
  app.use("/operations", operations(kit.doorcode, { checkEndpoint: async () => [], release: "2026-11-27.1" }));
  const { url, close } = await listen(createServer(app));
  onTestFinished(close);
  await kit.closeAddress();
  await kit.doorcode.limits.changeCeiling("cost_per_day", 20, { forSeconds: 3600 });
  const group = kit.doorcode[doorcodeParts].login?.keys.fingerprint(`address ${secrets.address}`) ?? "";
  for (const [of, limit] of [
    [group, "address"],
    ["0f".repeat(8), "block"],
  ] as const)
    kit.publish({ ...refused, group: of, limit, count: 7, threshold: 6, closedForSeconds: 3600 });
  for (const country of ["DE", "PL", "PL"]) {
    kit.publish({ ...named, type: "login.started", country });
    kit.publish({ ...named, type: "login.code_sent", country, channel: "SMS" });
  }
  kit.publish({
    ...named,
    type: "login.completed",
    country: "DE",
    channel: "SMS",
    sinceCodeSeconds: 12,
    completedAt: 0,
  });
  kit.publish({ ...named, type: "login.send_failed", country: "PL", channel: "SMS", error: new Error("no answer") });
  kit.publish({
    type: "login.refused",
    code: "number_range_closed",
    step: "start",
    purpose: "login",
    country: "PL",
    durationSeconds: 0,
  });
  kit.publish({
    type: "webhook.failed",
    kind: "verification.update",
    key: letter,
    durationSeconds: 1,
    error: new Error("The database did not answer."),
  });
  kit.publish({ type: "webhook.dead_lettered", kind: "verification.update", key: letter });
  kit.publish({ type: "webhook.refused", reason: "signature_mismatch" });
  kit.publish({ type: "store.failed", error: new Error("no answer") });
  kit.publish({
    type: "operator.acted",
    action: "replay",
    operator: "ada@example.com",
    target: letter,
    outcome: "done",
    text: "1 dead letter was replayed. 1 handled, 0 failed again.",
  });
  await recordFigures(kit.doorcode).flush();
  const logOut = () => {
    isLoggedIn = false;
  };
  return { ...kit, url, logOut };
}

const desktop = { viewport: { width: 1280, height: 800 } } as const;
const phone = { viewport: { width: 390, height: 844 } } as const;
test("every view fits in every layout and with text of 200 %, and has no problem that axe finds, dark or light", async ({
  browser,
}) => {
  const { url } = await serve();
  const problems: string[] = [];
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  watch(page, url, problems);
  problems.push(
    ...(await problemsIn(
      page,
      views.map((view) => `${url}/operations/${view}`),
    )),
  );
  expect(problems).toEqual([]);
});

test("without a script every view is there, and an action asks, acts and says so", async ({ browser }) => {
  const { url, inbox } = await serve();
  const context = await browser.newContext({ ...phone, javaScriptEnabled: false });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  for (const view of views) {
    await page.goto(`${url}/operations/${view}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  await page.goto(`${url}/operations/dead-letters/letter?key=${letter}`);
  await page.getByRole("button", { name: "Drop" }).click();
  expect(inbox.letters.size).toBe(3);
  await page.getByRole("button", { name: "Drop" }).click();
  await page.getByRole("status").getByText("1 dead letter was dropped").waitFor();
  expect(inbox.letters.size).toBe(2);
});

test("the page is live, and keeps what is open, focused and typed", async ({ browser }) => {
  const { url, publish, doorcode, inbox } = await serve();
  const context = await browser.newContext(desktop);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`${url}/operations/`);
  await page.locator("#logins summary").click();
  await page.getByRole("link", { name: "Poland" }).focus();
  publish({ ...named, type: "login.started", country: "FR" });
  inbox.letters.delete(letter);
  await recordFigures(doorcode).flush();
  await page.clock.runFor(5100);
  await page.getByRole("link", { name: "France" }).waitFor();
  await page.getByRole("link", { name: "Dead letters 2" }).waitFor();
  expect(await isOpen(page, "logins-table")).toBe(true);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Poland");

  await page.getByLabel("New value").fill("20");
  publish({ ...named, type: "login.started", country: "IT" });
  await recordFigures(doorcode).flush();
  await page.clock.runFor(5100);
  await page.locator("#live[data-state=paused]").getByText("Paused while you type").waitFor();
  expect(await page.getByLabel("New value").inputValue()).toBe("20");

  await page.getByLabel("New value").fill("");
  await page.getByLabel("Until").selectOption({ index: 2 });
  const chosen = await page.getByLabel("Until").inputValue();
  await page.getByRole("button", { name: "Change …" }).focus();
  publish({ ...named, type: "login.started", country: "ES" });
  await recordFigures(doorcode).flush();
  await page.clock.runFor(5100);
  await page.locator("#live[data-state=paused]").waitFor();
  expect(await page.getByLabel("Until").inputValue()).toBe(chosen);

  await page.goto(`${url}/operations/dead-letters`);
  await page.getByRole("button", { name: "Drop … bbb" }).focus();
  const [other] = inbox.letters.values();
  if (other) inbox.letters.set("d".repeat(64), { ...other, key: "d".repeat(64) });
  await page.clock.runFor(5100);
  await page.getByRole("button", { name: "Drop … ddd" }).waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toContain("bbb");
});

test("a page whose operator's login has ended leads to the login of the app", async ({ browser }) => {
  const { url, logOut } = await serve();
  const context = await browser.newContext(desktop);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(`${url}/operations/`);
  logOut();
  await page.clock.runFor(5100);
  await page.waitForURL("**/login");
});

function isOpen(page: Page, id: string): Promise<unknown> {
  return page.evaluate(`document.getElementById("${id}").open`);
}
