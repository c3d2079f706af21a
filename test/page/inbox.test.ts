import type { Page } from "playwright-core";
import { expect } from "vitest";
import { sendCode, sendMessage } from "../support/api-requests.ts";
import { phones } from "../support/sample-activity.ts";
import { live, test } from "./page-fixtures.ts";

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
const readClipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());
const search = (page: Page) => page.getByRole("searchbox");

test("reads a code and copies it", async ({ sandbox, open }) => {
  await sendCode(sandbox, phones.german);
  const page = await open("/", clipboard);
  const thread = page.locator(".thread-row", { hasText: phones.german });
  expect(await page.locator(".bubble .text").textContent()).toBe("Your code is 204816");
  await thread.getByRole("button", { name: /^Copy code 204816/ }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  expect(await readClipboard(page)).toBe("204816");
});

test("shows a new message without a reload, and counts it in the title until it is read", async ({ sandbox, open }) => {
  const page = await open();
  await page.getByRole("heading", { name: "No messages yet" }).waitFor();
  await sendCode(sandbox, phones.german);
  const row = page.locator(".thread-row", { hasText: phones.german });
  await row.waitFor();
  expect(await page.title()).toBe("(1) Inbox · Default application");
  await sendMessage(sandbox, phones.british, "Hello");
  await page.locator(".thread-row", { hasText: phones.british }).waitFor();
  expect(await page.title()).toBe("(2) Inbox · Default application");
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: phones.german }).waitFor();
  await page.locator("[data-unread-total]", { hasText: /^1$/ }).waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
});

test("a thread that was read stays so when a search finds an older message of it", async ({ sandbox, open }) => {
  await sendMessage(sandbox, phones.british, "First");
  await sendMessage(sandbox, phones.british, "Second");
  // The page knows the threads of the newest sixty messages by itself.
  for (let sent = 0; sent < 60; sent += 1) await sendMessage(sandbox, phones.german, "Hello");
  const page = await open();
  const row = page.locator(".thread-row", { hasText: phones.british });
  await row.getByRole("link").click();
  await page.getByRole("heading", { name: phones.british }).waitFor();
  await page.getByRole("link", { name: "Latest of all numbers" }).click();
  await page.getByRole("heading", { name: "Latest" }).waitFor();
  await search(page).pressSequentially("first");
  await row.getByText("First").waitFor();
  expect(await row.locator("[data-unread]").isVisible()).toBe(false);
});

test("says so when a proxy has answered in place of the sandbox, and is live again afterwards", async ({
  sandbox,
  open,
}) => {
  await sendMessage(sandbox, phones.british, "Hello");
  const page = await open();
  await page.clock.install();
  await page.route("**/_sandbox/changes", (route) => route.fulfill({ status: 404 }), { times: 1 });
  await page.reload();
  await page.locator("#live[data-state=lost]").waitFor();
  await page.clock.runFor(3100);
  await live(page);
  await page.route("**/messages/*/delete", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("button", { name: "Delete the message" }).click();
  await page.locator("#live[data-state=lost]").waitFor();
});

test("keeps the text that is being typed when a message arrives", async ({ sandbox, open }) => {
  await sendMessage(sandbox, phones.british, "Hello");
  const page = await open();
  await search(page).pressSequentially("hel");
  await page.waitForURL(/q=hel$/);
  await sendMessage(sandbox, phones.french, "Hello too");
  await page.locator(".thread-row", { hasText: phones.french }).waitFor();
  await search(page).pressSequentially("lo");
  await page.waitForURL(/q=hello$/);
  expect(await search(page).inputValue()).toBe("hello");
  expect(await search(page).evaluate((field) => field === document.activeElement)).toBe(true);
});

test("deletes a message, a thread and all messages", async ({ sandbox, open }) => {
  await sendMessage(sandbox, phones.german, "First");
  await sendMessage(sandbox, phones.german, "Second");
  await sendMessage(sandbox, phones.british, "Third");
  await sendMessage(sandbox, phones.french, "Fourth");
  const page = await open();
  await page
    .locator(".message", { hasText: "Second" })
    .getByRole("button", { name: /^Delete/ })
    .click();
  await page.locator(".message", { hasText: "Second" }).waitFor({ state: "detached" });
  expect(sandbox.inbox.list().map(({ text }) => text)).toEqual(["First", "Third", "Fourth"]);

  await page.locator(".thread-row", { hasText: phones.german }).getByRole("link").click();
  await page.getByRole("button", { name: "Delete this thread" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.locator(".thread-row", { hasText: phones.german }).waitFor({ state: "detached" });
  expect(sandbox.inbox.list().map(({ text }) => text)).toEqual(["Third", "Fourth"]);

  await page.getByRole("button", { name: "Delete all messages" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(sandbox.inbox.list()).toHaveLength(2);
  await page.getByRole("button", { name: "Delete all messages" }).click();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByRole("heading", { name: "No messages yet" }).waitFor();
});
