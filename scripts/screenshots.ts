import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { appCodes, createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/express";
import express from "express";
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { createSampleActivity, phones, sampleOptions } from "../test/support/sample-activity.ts";
import { build, run } from "./build.ts";
import { CliError, print, runScript } from "./cli-error.ts";

/*
 * Takes the screenshots of the documents: `node scripts/run.mjs scripts/screenshots.ts`. Clocks, codes and ports are fixed, and random ids
 * are overwritten, so that every run takes the same pictures. `words.json` beside them has the navigation, the labels and the buttons that
 * each picture shows: a test compares them with the pages of today.
 */

const nowMilliseconds = Date.UTC(2026, 10, 19, 18, 32);
const folder = "docs/screenshots";
const inboxPath = "/applications/default";
const [limited, account, smsFails] = ["+491713920001", "+491713920002", "+491713920013"] as const;

/** The words that each picture shows, and their language. */
const shownWords: Record<string, { readonly lang: string; readonly words: readonly string[] }> = {};

// The sandbox's pages show times in the server's time zone.
process.env.TZ = "UTC";

await runScript(async () => {
  build();
  const executablePath = findChromium();
  if (executablePath === undefined) throw new CliError("Chromium is missing. Install it, or set CHROMIUM_PATH.");
  const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] });
  try {
    await takeSandbox(browser);
    await takeLoginPages(browser);
    await takeOperations(browser);
    writeFileSync(`${folder}/words.json`, JSON.stringify(shownWords));
    run("biome", "format", "--write", `${folder}/words.json`);
  } finally {
    await browser.close();
  }
});

async function takeSandbox(browser: Browser): Promise<void> {
  const { createManualClock } = await import("@doorcode/core/testing");
  const { createSandbox } = await import("@doorcode/sandbox");
  let status = 204;
  const answerWith = (next: number) => {
    status = next;
  };
  const app = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => outgoing.writeHead(status).end(status < 300 ? "" : "Internal Server Error"));
  }).listen(3000, "localhost");
  const clock = createManualClock(nowMilliseconds);
  const sandbox = await createSandbox({ ...sampleOptions, clock });
  sandbox.deliverTo("http://localhost:3000/webhooks");
  const lastLogin = await createSampleActivity({ sandbox, clock, answerWith });
  await lastLogin();
  const verification = sandbox.verifications.list().find(({ recipient }) => recipient === phones.germanWhoseSmsFails);

  const shoot = async (name: string, path: string, options: BrowserContextOptions = {}, part = "body") => {
    const size = { width: 1160, height: 720 };
    const page = await open(browser, sandbox.url + inboxPath, { viewport: size, timezoneId: "UTC", ...options });
    await page.getByRole("button", { name: "Mark all read" }).click();
    await page.clock.setFixedTime(clock.now());
    await page.goto(sandbox.url + path);
    await page.locator("#live[data-state=live]").waitFor();
    await page.evaluate(overwriteIds);
    await take(page.locator(part), name);
    await page.context().close();
  };
  await shoot("inbox", inboxPath);
  await shoot("inbox-dark", inboxPath, { colorScheme: "dark" });
  await shoot("webhooks", `${inboxPath}/webhooks`);
  // A narrow and high window shows the whole timeline.
  const viewport = { width: 1060, height: 1100 };
  await shoot("verification", `${inboxPath}/verifications/${verification?.id}`, { viewport }, "main");
  await sandbox.close();
  app.close();
}

/** The way of a code, a limit, and a step-up. The clock of the service stands at that of the machine, which signatures follow. */
async function takeLoginPages(browser: Browser): Promise<void> {
  // Imported after the build, which writes its script and its style.
  const { loginPage } = await import("@doorcode/browser/server");
  const { createSandbox } = await import("@doorcode/sandbox");
  const { createApp } = await import("../examples/account/app.ts");
  const { createApp: createLimitedApp } = await import("../examples/express-login/app.ts");
  const { serveExpress } = await import("./serve.ts");
  const sandbox = await createSandbox({ port: 0, clock: "frozen", codes: { [account]: "204816" } });
  const { clock } = sandbox;
  const example = await serveExpress(createApp(sandbox.env, { clock }), 0);
  sandbox.deliverTo(`${example.url}/webhooks`);

  const page = await open(browser, example.url);
  await page.getByLabel("Phone number").fill(smsFails.replace("+49", "0"));
  await take(page, "login-number");
  await page.getByRole("button", { name: "Send code" }).click();
  for (const [name, text] of [
    ["login-not-delivered", "not delivered"],
    ["login-delivered", "WhatsApp: delivered"],
  ] as const) {
    for (const shown = page.getByText(text).first(); !(await shown.isVisible()); ) await clock.advance("100ms");
    await take(page, name);
  }
  // With its length known, a code that is filled in is sent by itself.
  await page.locator('[part~="code"]').fill("482951");
  await page.getByRole("alert").waitFor();
  await page.getByText("No code?").click();
  await take(page, "login-wrong-code");

  const dark = await open(browser, example.url, { colorScheme: "dark" });
  await ask(dark, "+43 660 1234567 8901");
  await dark.getByRole("alert").waitFor();
  await take(dark, "login-refused-dark");

  const user = await open(browser, example.url);
  await ask(user, account);
  await user.locator('[part~="code"]').fill("204816");
  await user.getByRole("heading", { name: "Your account", exact: true }).waitFor();
  await user.goto(`${example.url}/step-up`);
  await user.locator("form[novalidate]").first().waitFor();
  await take(user, "step-up");
  await example.close();

  const login = { codes: appCodes(), limits: { cooldownSeconds: 0, sendsPerPhone: 1, mode: "enforce" } } as const;
  const strict = await serveExpress(createLimitedApp(sandbox.env, { clock, login }), 0);
  const first = await open(browser, strict.url);
  await ask(first, limited);
  await first.locator('[part~="code"]').waitFor();
  const second = await open(browser, strict.url);
  await ask(second, limited);
  await second.getByRole("alert").waitFor();
  await take(second, "login-limit");
  await strict.close();

  const canadian = createDoorcode({
    service: { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY },
    session: { password: sandbox.env.SESSION_PASSWORD },
    login: { countries: ["CA"], codes: serviceCodes({ template: "login" }), onLogin: () => "user" },
  });
  const consent = { terms: "/terms", privacy: "/privacy" };
  const app = await serveExpress(express().use("/login", phoneLogin(canadian, { page: loginPage({ consent }) })), 0);
  const french = await open(browser, `${app.url}/login`, { locale: "fr-CA" });
  await french.locator("form[novalidate]").waitFor();
  await take(french, "login-consent");
  await app.close();
  await sandbox.close();
}

/** The operators' page of the demo at six in the evening, while a block of numbers is closed. */
async function takeOperations(browser: Browser): Promise<void> {
  const { createManualClock } = await import("@doorcode/core/testing");
  const { createSandbox } = await import("@doorcode/sandbox");
  const { createDemo } = await import("./demo.ts");
  const { serveExpress } = await import("./serve.ts");
  // Of today: the kit accepts signatures of the machine's clock within a day. The page shows no date.
  const clock = createManualClock(new Date().setUTCHours(0, 0, 0, 0));
  const sandbox = await createSandbox({ port: 0, clock });
  const demo = await createDemo(sandbox, clock);
  const app = await serveExpress(demo.app, 0);
  sandbox.deliverTo(`${app.url}/webhooks`);
  await demo.playHours(app.url, 18);
  for (const [name, path, colorScheme] of [
    ["operations", "/operations", "light"],
    ["operations-limits-dark", "/operations/limits", "dark"],
  ] as const) {
    const page = await open(browser, app.url + path, { viewport: { width: 1160, height: 900 }, colorScheme });
    await take(page, name, { fullPage: false });
    await page.context().close();
  }
  await app.close();
  await demo.close();
  await sandbox.close();
}

async function ask(page: Page, phone: string): Promise<void> {
  await page.getByLabel("Phone number").fill(phone);
  await page.getByRole("button", { name: "Send code" }).click();
}

/** Opens a page in a browser of its own, whose clock stands still. */
async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const size = { viewport: { width: 400, height: 420 }, deviceScaleFactor: options.viewport ? 1 : 2 };
  const common = { reducedMotion: "reduce", timezoneId: "Europe/Berlin" } as const;
  const page = await (await browser.newContext({ ...size, ...common, ...options })).newPage();
  await page.clock.setFixedTime(nowMilliseconds);
  await page.goto(url);
  return page;
}

/** Takes a screenshot of a whole page, of what a window shows of it, or of a part of one. */
async function take(shown: Page | Locator, name: string, { fullPage = "context" in shown } = {}): Promise<void> {
  const path = `${folder}/${name}.png`;
  const words = await shown
    .locator("nav .label, phone-login :is(label, summary, button)")
    .evaluateAll((nodes) => nodes.flatMap((node) => (node.checkVisibility() ? node.textContent : [])));
  const page = "context" in shown ? shown : shown.page();
  const lang = (await page.locator("html").getAttribute("lang")) ?? "";
  shownWords[name] = { lang, words };
  await shown.screenshot({ path, ...(fullPage && { fullPage }), animations: "disabled", caret: "hide" });
  print(path);
}

/** Overwrites the random ids. It runs in the page. */
function overwriteIds(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    text.textContent = (text.textContent ?? "").replace(/([a-z]{3}_)[0-9a-f]{24}/g, "$16f1d2c8a90b74e35d2a1c0f7");
  }
}
