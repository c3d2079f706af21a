import { expect } from "vitest";
import { sendCode } from "../support/api-requests.ts";
import { phones } from "../support/sample-activity.ts";
import { test } from "./page-fixtures.ts";

const base = "/applications/default";

test("freezes the clock and advances it to the next attempt", async ({ sandbox, clock, open }) => {
  let status = 500;
  sandbox.deliverTo(() => new Response(null, { status }));
  await sendCode(sandbox, phones.german);
  await clock.advance(60);
  const page = await open(`${base}/clock`);
  await page.getByRole("button", { name: "Frozen" }).click();
  await page.locator(".banner", { hasText: "The clock is frozen" }).waitFor();
  await clock.advance(60_000);
  expect(sandbox.deliveries.list().map(({ attempts }) => attempts.length)).toEqual([1]);
  status = 204;
  await page.getByRole("button", { name: "+30s" }).click();
  await page.locator(".clock-card time", { hasText: "14:13:50" }).waitFor();
  expect(sandbox.deliveries.list().find(({ eventStatus }) => eventStatus === "SMS SENT")?.attempts).toHaveLength(2);
  await page.getByLabel("Duration, such as 1h12m30s").fill("1h12m30s");
  await page.getByRole("button", { name: "Advance", exact: true }).click();
  await page.locator(".clock-card time", { hasText: "15:26:20" }).waitFor();
  await page.getByRole("button", { name: "Real" }).click();
  await page.locator(".banner", { hasText: "The clock is 1 h 12 m ahead" }).waitFor();
});

test("shows only the number fields that the action of a fault needs", async ({ open }) => {
  const page = await open(`${base}/clock`);
  const form = page.locator("#break-request");
  const status = form.getByLabel("Status", { exact: true });
  const milliseconds = form.getByLabel("Milliseconds");
  expect([await status.isVisible(), await milliseconds.isVisible()]).toEqual([true, false]);
  await form.getByLabel("Then").selectOption({ label: "delays" });
  await milliseconds.waitFor();
  expect(await status.isVisible()).toBe(false);
});

test("makes the next request fail with one click", async ({ sandbox, open }) => {
  const page = await open(`${base}/clock`);
  await page.getByRole("button", { name: "429 once" }).click();
  await page.getByText("Answers 429").waitFor();
  const { SERVICE_URL, SERVICE_API_KEY } = sandbox.env;
  const ask = () => fetch(`${SERVICE_URL}/messages`, { headers: { "X-API-KEY": SERVICE_API_KEY } });
  expect([(await ask()).status, (await ask()).status]).toEqual([429, 200]);
  await page.locator("#faults").getByText("Used up").waitFor();
});
