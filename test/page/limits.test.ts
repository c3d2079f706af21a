import { expect } from "vitest";
import { violationsIn } from "../support/axe.ts";
import { refusedSend } from "../support/sample-activity.ts";
import { test } from "./page-fixtures.ts";

const path = "/applications/default/limits";

test("shows the decisions of an app as they come, and clears them", async ({ sandbox, open }) => {
  const page = await open(path);
  await page.getByText("No decisions yet").waitFor();
  expect(await violationsIn(page)).toEqual([]);
  sandbox.decisions.receive(refusedSend);
  const row = page.locator("#decisions li");
  await row.getByText("Block: 7 logins, where 6 are allowed").waitFor();
  await row.getByText("DE · country on alert").waitFor();
  expect(
    await page.locator("#over-time rect.bar-bad").evaluateAll((bars) => bars.map((bar) => bar.getAttribute("height"))),
  ).toContain("100");
  const ofAddress = { ...refusedSend, limit: "address" };
  sandbox.decisions.receive(ofAddress);
  await row.getByText("Address").waitFor();
  expect(await page.locator("#totals tbody tr").allTextContents()).toEqual(["All002", "Address001", "Block001"]);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("No decisions yet").waitFor();
});
