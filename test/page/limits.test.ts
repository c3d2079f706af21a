import { expect } from "vitest";
import { violationsIn } from "../support/axe.ts";
import { test } from "./page-fixtures.ts";

const path = "/applications/default/limits";
const decision = {
  type: "login.send_decided",
  outcome: "refused",
  country: "DE",
  limit: "block",
  count: 7,
  threshold: 6,
  onAlert: true,
  appOnAlert: false,
  knownNumber: false,
  knownDevice: false,
} as const;

test("shows the decisions of an app as they come, and clears them", async ({ sandbox, open }) => {
  const page = await open(path);
  await page.getByText("No decisions yet").waitFor();
  sandbox.decisions.receive(decision);
  const row = page.locator("#decisions li");
  await row.getByText("7 where 6 are allowed · DE · country on alert").waitFor();
  const ofAddress = { ...decision, limit: "address" };
  sandbox.decisions.receive(ofAddress);
  await row.getByText("Address").waitFor();
  expect(await page.locator("#totals tbody tr").allTextContents()).toEqual(["All002", "Address001", "Block001"]);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("No decisions yet").waitFor();
});

test.for([1280, 375])(
  "has no barrier and nothing beyond its edge, %i pixels wide",
  async (width, { sandbox, open }) => {
    const options = { viewport: { width, height: 780 } };
    const empty = await open(path, options);
    expect(await violationsIn(empty)).toEqual([]);
    for (let count = 0; count < 3; count++) sandbox.decisions.receive(decision);
    const page = await open(path, options);
    await page.locator("#decisions li").first().waitFor();
    expect(await violationsIn(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  },
);
