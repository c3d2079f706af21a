import { createSandbox, type Sandbox, type SandboxOptions } from "@doorcode/sandbox";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { sendCode } from "../support/api-requests.ts";
import { violationsIn } from "../support/axe.ts";
import { phones } from "../support/sample-activity.ts";
import { live, test } from "./page-fixtures.ts";

const token = "a-secret-for-tests";
const portal = "/applications/default/portal";

/** Starts a sandbox that other machines can reach. */
async function startOnNetwork(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox({ port: 0, host: "0.0.0.0", token, ...options });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Opens a page, which may be the login, in a new browser context. */
async function openUrl(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("pageerror", (error) => expect.fail(error.message));
  await page.goto(url);
  return page;
}

async function logIn(page: Page, text: string): Promise<void> {
  await page.getByLabel("Token").fill(text);
  await page.getByRole("button", { name: "Log in" }).click();
}

test("refuses a wrong token with a message, and shows the page after the right one", async ({ browser }) => {
  const sandbox = await startOnNetwork();
  const page = await openUrl(browser, `${sandbox.url}${portal}`);
  await logIn(page, "another-secret-here");
  expect(await page.getByRole("alert").textContent()).toBe("This token is incorrect.");
  expect(await page.getByLabel("Token").inputValue()).toBe("");
  await page.goto(`${sandbox.url}${portal}`);
  await logIn(page, token);
  await live(page);
  expect(page.url()).toBe(`${sandbox.url}${portal}`);
  await sendCode(sandbox, phones.german);
  await page.locator("[data-unread-total]", { hasText: "1" }).waitFor();
  expect(await page.evaluate(() => document.cookie)).toBe("");
});

test("sends nothing for an empty field", async ({ browser }) => {
  const sandbox = await startOnNetwork();
  const page = await openUrl(browser, sandbox.url);
  await logIn(page, "");
  expect(page.url()).toBe(`${sandbox.url}/`);
  expect(await page.getByLabel("Token").evaluate((input) => input.matches(":focus:invalid"))).toBe(true);
});

test("appears on an open page when the sandbox was started again", async ({ browser }) => {
  const first = await startOnNetwork();
  const page = await openUrl(browser, first.url);
  await logIn(page, token);
  await live(page);
  await first.close();
  const again = await startOnNetwork({ port: Number(new URL(first.url).port) });
  await logIn(page, token);
  await live(page);
  expect(page.url()).toBe(`${again.url}/`);
});

test("fits on a phone, and has no problem that axe finds, dark on a phone and light on a screen", async ({
  browser,
}) => {
  const sandbox = await startOnNetwork();
  const page = await openUrl(browser, sandbox.url);
  await logIn(page, "another-secret-here");
  await page.getByRole("alert").waitFor();
  for (const [colorScheme, width] of [
    ["dark", 360],
    ["light", 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await violationsIn(page)).toEqual([]);
  }
});
