import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "../test/support/build.ts";
import { chromiumArguments, findChromium } from "../test/support/chromium.ts";
import { createSampleActivity, phones, sampleOptions } from "../test/support/sample-activity.ts";

// Takes the screenshots of the documents. Clock, codes, ports and the browser's time are fixed and the random ids are
// overwritten, so that every run takes the same pictures.

const folder = "docs/screenshots";
const startMilliseconds = Date.UTC(2026, 10, 19, 18, 32);
const base = "/applications/default";

// The page shows times in the server's time zone.
process.env.TZ = "UTC";

build();
const { createManualClock } = await import("@doorcode/core/testing");
const { createSandbox } = await import("@doorcode/sandbox");

let status = 204;
const app = createServer((incoming, outgoing) => {
  incoming.resume().on("end", () => outgoing.writeHead(status).end(status < 300 ? "" : "Internal Server Error"));
}).listen(3000, "localhost");
const clock = createManualClock(startMilliseconds);
const sandbox = await createSandbox({ ...sampleOptions, clock });
sandbox.deliverTo("http://localhost:3000/webhooks");
const answerWith = (next: number) => {
  status = next;
};
const lastLogin = await createSampleActivity({ sandbox, clock, answerWith });

const executablePath = findChromium();
if (executablePath === undefined)
  throw new Error("No Chromium was found. Install it, or set CHROMIUM_PATH to its path.");
const browser = await chromium.launch({ executablePath, args: [...chromiumArguments] });
try {
  mkdirSync(folder, { recursive: true });
  await takeAll(browser);
} finally {
  await browser.close();
  await sandbox.close();
  app.close();
}

async function takeAll(browser: Browser): Promise<void> {
  const light = await open(browser, { colorScheme: "light" });
  const dark = await open(browser, { colorScheme: "dark" });
  const phone = await open(browser, { colorScheme: "light", viewport: { width: 360, height: 720 } });
  await lastLogin();
  for (const page of [light, dark, phone])
    await page.getByRole("button", { name: "Copy code 204816" }).first().waitFor();
  const thread = `${base}/inbox/${encodeURIComponent(phones.german)}/SMS`;
  await take(light, base, "inbox");
  await take(dark, base, "inbox-dark");
  await take(phone, thread, "phone");
  await take(light, `${base}/webhooks`, "webhooks");
  await take(light, `${base}/portal`, "portal");
  // A narrow and high window shows the whole timeline.
  await light.setViewportSize({ width: 1060, height: 1100 });
  await take(light, `${base}/verifications/${verificationOf(phones.germanWhoseSmsFails)}`, "verification", "main");
}

/** Opens the inbox and marks its messages as read. */
async function open(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1160, height: 720 },
    timezoneId: "UTC",
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(clock.now());
  await page.goto(sandbox.url);
  await page.locator("#live[data-state=live]").waitFor();
  await page.getByRole("button", { name: "Mark all read" }).click();
  await page.mouse.move(0, 0);
  return page;
}

/** Takes a screenshot of a part of the page. */
async function take(page: Page, path: string, name: string, part = "body"): Promise<void> {
  await page.clock.setFixedTime(clock.now());
  await page.goto(sandbox.url + path);
  await page.locator("#live[data-state=live]").waitFor();
  await page.evaluate(overwriteIds);
  const file = `${folder}/${name}.png`;
  await (part === "body" ? page : page.locator(part)).screenshot({ path: file, animations: "disabled" });
  process.stdout.write(`${file}\n`);
}

/** Overwrites the random ids. It runs in the page. */
function overwriteIds(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    text.textContent = (text.textContent ?? "").replace(/([a-z]{3}_)[0-9a-f]{24}/g, "$16f1d2c8a90b74e35d2a1c0f7");
  }
}

function verificationOf(phone: string): string {
  const found = sandbox.verifications.list().find(({ recipient }) => recipient === phone);
  if (!found) throw new Error("The sandbox has no verification for the screenshot.");
  return found.id;
}
