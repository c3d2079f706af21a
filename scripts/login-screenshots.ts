import { mkdirSync } from "node:fs";
import { appCodes } from "@doorcode/core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { build } from "./build.ts";

// Takes the screenshots of the login page: the example as it stands, its codes, and two clocks that stand still.

const folder = "docs/screenshots";
const phones = { limited: "+491713920001", account: "+491713920002", smsFails: "+491713920013" };
/** The time of the pictures. The clock of the service stands at that of the machine, which signatures follow. */
const nowMilliseconds = Date.UTC(2026, 10, 19, 18, 32);
const width = 400;

build();
const { createSandbox } = await import("@doorcode/sandbox");
const { createApp } = await import("../examples/account/app.ts");
const { createApp: createLoginApp } = await import("../examples/express-login/app.ts");
const { serveExpress } = await import("./serve.ts");

const sandbox = await createSandbox({ port: 0, clock: "frozen", codes: { [phones.account]: "204816" } });
const { clock } = sandbox;
const executablePath = findChromium();
if (executablePath === undefined)
  throw new Error("No Chromium was found. Install it, or set CHROMIUM_PATH to its path.");
const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] });
try {
  mkdirSync(folder, { recursive: true });
  await takeLogin(browser);
  await takeLimit(browser);
  await takeAccount(browser);
} finally {
  await browser.close();
  await sandbox.close();
}

/** The way of a code: asked for, not delivered as a text, delivered by WhatsApp, mistyped. */
async function takeLogin(browser: Browser): Promise<void> {
  const example = await serveExpress(createApp(sandbox.env, { clock }), 0);
  sandbox.deliverTo(`${example.url}/webhooks`);
  const page = await open(browser, example.url);
  await page.getByLabel("Phone number").fill(phones.smsFails.replace("+49", "0"));
  await take(page, "login-number");
  await page.getByRole("button", { name: "Send code" }).click();
  await page.locator('[part~="code"]').waitFor();
  await pass(page, /not delivered/);
  await take(page, "login-not-delivered");
  await pass(page, /WhatsApp: delivered/);
  await take(page, "login-delivered");
  await page.locator('[part~="code"]').fill("482951");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByText("No code?").click();
  await take(page, "login-wrong-code");
  await page.context().close();

  const dark = await open(browser, example.url, { colorScheme: "dark" });
  await dark.getByLabel("Phone number").fill("+43 660 1234567 8901");
  await dark.getByRole("button", { name: "Send code" }).click();
  await dark.getByRole("alert").waitFor();
  await take(dark, "login-refused-dark");
  await dark.context().close();
  await example.close();
}

/** A limit, with the time in the person's clock. */
async function takeLimit(browser: Browser): Promise<void> {
  const login = { codes: appCodes(), limits: { cooldownSeconds: 0, sendsPerPhone: 1, mode: "enforce" } } as const;
  const example = await serveExpress(createLoginApp(sandbox.env, { clock, login }), 0);
  const first = await open(browser, example.url);
  await ask(first, phones.limited);
  await first.locator('[part~="code"]').waitFor();
  const page = await open(browser, example.url);
  await ask(page, phones.limited);
  await page.getByRole("alert").waitFor();
  await take(page, "login-limit");
  await first.context().close();
  await page.context().close();
  await example.close();
}

async function takeAccount(browser: Browser): Promise<void> {
  const example = await serveExpress(createApp(sandbox.env, { clock }), 0);
  sandbox.deliverTo(`${example.url}/webhooks`);
  const page = await open(browser, example.url);
  await ask(page, phones.account);
  await page.locator('[part~="code"]').fill("204816");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Your account", exact: true }).waitFor();
  await take(page, "account");
  for (const path of ["second-number", "step-up"]) {
    await page.goto(`${example.url}/${path}`);
    await page.locator("form[novalidate]").first().waitFor();
    await take(page, path);
  }
  await page.context().close();
  await example.close();
}

async function ask(page: Page, phone: string): Promise<void> {
  await page.getByLabel("Phone number").fill(phone);
  await page.getByRole("button", { name: "Send code" }).click();
}

/** Opens the page in a browser of its own, whose clock stands still. */
async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 420 },
    deviceScaleFactor: 2,
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(nowMilliseconds);
  await page.goto(url);
  await page.locator("form[novalidate]").waitFor();
  return page;
}

/** Lets time pass for the service until the page shows what it has reported. */
async function pass(page: Page, text: RegExp): Promise<void> {
  for (let second = 0; second < 60 && !(await page.getByText(text).first().isVisible()); second++) {
    await clock.advance("100ms");
    await page.waitForTimeout(50);
  }
  await page.getByText(text).first().waitFor();
}

/** Takes a screenshot of the whole page. */
async function take(page: Page, name: string): Promise<void> {
  const path = `${folder}/${name}.png`;
  await page.mouse.move(0, 0);
  await page.screenshot({ path, fullPage: true, animations: "disabled", caret: "hide" });
  process.stdout.write(`${path}\n`);
}
