import { expect } from "vitest";
import { confirm, sendCode } from "../support/api-requests.ts";
import { phones } from "../support/sample-activity.ts";
import { test } from "./page-fixtures.ts";

const base = "/applications/default";

test("shows why a webhook failed, and counts down to the next attempt", async ({ sandbox, clock, open }) => {
  sandbox.deliverTo(() => new Response("Out of order", { status: 500 }));
  await sendCode(sandbox, phones.german);
  await clock.advance(60);
  const page = await open(`${base}/webhooks`);
  const row = page.locator(".event", { hasText: "SMS SENT" });
  expect(await row.textContent()).toContain("500: your app failed. Its log has the details");
  expect(await row.locator(".cause").evaluate(isRed)).toBe(true);
  // No answer, so no update: it would bring the time of the test's clock, which stands still while the browser's moves.
  await page.route("**/_sandbox/changes", () => undefined);
  await page.clock.setFixedTime(clock.now());
  await page.reload();
  for (const seconds of [0, 10, 11]) {
    await page.clock.setFixedTime(clock.now() + seconds * 1000);
    await row.locator(".countdown", { hasText: `in ${30 - seconds} s` }).waitFor();
  }
});

function isRed(element: Element): boolean {
  const [red = 0, green = 0, blue = 0] = getComputedStyle(element).color.match(/\d+/g)?.map(Number) ?? [];
  return red > 2 * green && red > 2 * blue;
}

test("shows the request and the answer of each attempt", async ({ sandbox, clock, open }) => {
  sandbox.deliverTo(() => new Response("Out of order", { status: 500 }));
  await sendCode(sandbox, phones.german);
  await clock.advance(31_000);
  const page = await open(`${base}/webhooks`);
  await page.locator(".event", { hasText: "SMS SENT" }).getByRole("link").click();
  await page.getByRole("heading", { name: "SMS SENT" }).waitFor();
  const attempts = page.locator(".attempts > li");
  expect(await attempts.count()).toBe(2);
  const last = await attempts.last().textContent();
  for (const part of ["X-Webhook-Timestamp: ", "X-Webhook-Signature: v1=", "Out of order", "by the schedule"]) {
    expect(last).toContain(part);
  }
  const payload = await page.locator("#payload pre").first().textContent();
  expect(JSON.parse(payload ?? "")).toMatchObject({ event: "verification.update", data: { recipient: phones.german } });
});

test("sends a webhook again", async ({ sandbox, clock, open }) => {
  let status = 500;
  sandbox.deliverTo(() => new Response(null, { status }));
  await sendCode(sandbox, phones.german);
  await clock.advance(60);
  const page = await open(`${base}/webhooks`);
  const row = page.locator(".event", { hasText: "SMS SENT" });
  await row.getByText("Retrying").waitFor();
  status = 204;
  await row.getByRole("button", { name: "Replay “SMS SENT”" }).click();
  await row.getByText("Acknowledged").waitFor();
  expect(sandbox.deliveries.list().map((delivery) => delivery.status)).toEqual(["delivered"]);
});

test("replays the webhooks that were given up", async ({ sandbox, clock, open }) => {
  sandbox.configure({ settings: { webhookRetryDelaysSeconds: [] } });
  let status = 500;
  sandbox.deliverTo(() => new Response(null, { status }));
  await sendCode(sandbox, phones.german);
  await clock.advance(300);
  const page = await open(`${base}/webhooks`);
  await page.getByText("Given up").nth(1).waitFor();
  status = 204;
  await page.getByRole("button", { name: "Replay 2 unacknowledged" }).click();
  await page.getByText("Acknowledged", { exact: true }).nth(2).waitFor();
  expect(await page.locator(".record .status", { hasText: "Given up" }).count()).toBe(0);
});

test("enables a disabled endpoint", async ({ sandbox, clock, open }) => {
  sandbox.configure({ settings: { disableAfterSeconds: 20 } });
  sandbox.deliverTo(() => new Response(null, { status: 500 }));
  await sendCode(sandbox, phones.german);
  await clock.advance(31_000);
  const page = await open(`${base}/webhooks`);
  const health = page.locator(".health");
  await health.getByText("Disabled").waitFor();
  await health.getByRole("button", { name: "Enable" }).click();
  await health.getByText("Healthy").waitFor();
  expect(sandbox.endpoints.list().map((endpoint) => endpoint.status)).toEqual(["enabled"]);
});

test("shows the timeline of a verification in order: channels, codes and webhooks", async ({
  sandbox,
  clock,
  open,
}) => {
  sandbox.deliverTo(() => new Response(null, { status: 204 }));
  const id = await sendCode(sandbox, phones.germanWhoseSmsFails, ["SMS", "WHATSAPP"]);
  const page = await open(`${base}/verifications`);
  await clock.advance(1000);
  await confirm(sandbox, id, "000000");
  await clock.advance(1000);
  await confirm(sandbox, id, "482915");
  await page.locator(".record", { hasText: phones.germanWhoseSmsFails }).getByText("Approved").waitFor();
  await page.locator(".record").getByRole("link").click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  const entries = await page.locator(".timeline > li p").allInnerTexts();
  const expected = [
    "Accepted",
    "SMS sent",
    "Webhook “SMS SENT”",
    "SMS failed",
    "WhatsApp queued",
    "WhatsApp delivered",
    "Confirmation refused: the code was incorrect",
    "Approved: the right code was confirmed",
    "Webhook “APPROVED”",
  ];
  const places = expected.map((text) => entries.findIndex((entry) => entry.startsWith(text)));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
});
