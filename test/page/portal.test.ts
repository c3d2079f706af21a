import type { SandboxApplication } from "@doorcode/sandbox";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { post, sendMessage } from "../support/api-requests.ts";
import { phones } from "../support/sample-activity.ts";
import { live, test } from "./page-fixtures.ts";

const portal = "/applications/default/portal";
const yes = (page: Page) => page.getByRole("button", { name: "Yes" }).click();

test("rotates the API key: the old key is refused, the new one is accepted", async ({ sandbox, open }) => {
  const old = sandbox.env;
  const page = await open(portal);
  await page.getByRole("button", { name: "Rotate" }).click();
  await yes(page);
  await page.getByText("The API key was rotated").waitFor();
  expect(await statusWith(old)).toBe(401);
  expect(await statusWith(sandbox.env)).toBe(200);
  await page.locator(".masked").click();
  await page.getByText(sandbox.env.SERVICE_API_KEY, { exact: true }).waitFor();
});

async function statusWith({ SERVICE_URL, SERVICE_API_KEY }: SandboxApplication["env"]): Promise<number> {
  const { status } = await fetch(`${SERVICE_URL}/messages`, { headers: { "X-API-KEY": SERVICE_API_KEY } });
  return status;
}

test("shows a new signing secret once", async ({ sandbox, open }) => {
  const page = await open(portal);
  await page.getByRole("button", { name: "Regenerate" }).click();
  await yes(page);
  const secret = (await page.locator(".notice.secret pre").textContent()) ?? "";
  expect(secret).toBe(sandbox.env.WEBHOOK_SECRET);
  await sendMessage(sandbox, phones.german, "Hello");
  await page.locator("[data-unread-total]", { hasText: "1" }).waitFor();
  expect(await page.locator(".notice.secret pre").textContent()).toBe(secret);
  await page.reload();
  await live(page);
  expect(await page.content()).not.toContain(secret);
});

test("says what is wrong with an endpoint, and keeps the text in the form", async ({ sandbox, open }) => {
  const page = await open(`${portal}/endpoints`);
  await page.getByLabel("URL").fill("http://elsewhere.example/webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.locator(".notice.problem").waitFor();
  expect(await page.getByLabel("URL").inputValue()).toBe("http://elsewhere.example/webhooks");
  expect(sandbox.endpoints.list()).toEqual([]);
});

test("creates an application and switches to it: each application shows only its own messages", async ({
  sandbox,
  open,
}) => {
  await sendMessage(sandbox, phones.german, "For the first");
  const page = await open(`${portal}/account`);
  await page.locator("#applications").getByLabel("Name").fill("Shop, staging");
  await page.getByRole("button", { name: "Create application" }).click();
  await page.locator(".notice.secret").waitFor();
  const created = sandbox.applications().find(({ id }) => id !== sandbox.id);
  if (!created) throw new Error("There is no second application.");
  expect(await page.locator(".notice.secret pre").textContent()).toContain(created.env.SERVICE_API_KEY);
  await post(created, "/messages", {
    recipients: [phones.british],
    channels: [{ channel: "SMS", sender: "Doorcode", content: { text: "For the second" } }],
  });
  await page.getByRole("link", { name: "Inbox" }).click();
  await page.locator(".bubble", { hasText: "For the second" }).waitFor();
  expect(await page.locator(".bubble").count()).toBe(1);
  await page.locator("#switcher summary").click();
  await page.locator("#switcher").getByRole("link", { name: "Default application" }).click();
  await page.locator(".bubble", { hasText: "For the first" }).waitFor();
  expect(await page.locator(".bubble").count()).toBe(1);
});
