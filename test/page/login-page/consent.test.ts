import type { DoorcodeEvent } from "@doorcode/core";
import { expect } from "vitest";
import { codeField, phoneField, sendButton, test } from "./fixtures.ts";

const consents = (events: readonly DoorcodeEvent[]) =>
  events.flatMap((event) => (event.type === "login.started" ? [event.consent?.version] : []));

test("the line of consent follows the country of the number, and a start sends its version only with the line", async ({
  start,
}) => {
  const events: DoorcodeEvent[] = [];
  const app = await start({
    login: { countries: ["DE", "US"] },
    options: { onEvent: (event) => void events.push(event) },
  });
  const german = await app.open("/login?lang=de");
  const line = german.locator("[part~=consent]");
  await german.locator("form[novalidate]").waitFor();
  expect(await line.isVisible()).toBe(false);
  await german.getByLabel("Land").selectOption("US");
  expect(await line.isVisible()).toBe(true);
  await german.getByLabel("Land").selectOption("DE");
  await german.getByLabel("Telefonnummer").fill("01512 3456789");
  await german.getByRole("button", { name: "Code schicken" }).click();
  await german.getByLabel("Code", { exact: true }).waitFor();

  const american = await app.open();
  await american.locator("form[novalidate]").waitFor();
  await american.getByLabel("Country").selectOption("DE");
  await phoneField(american).fill("+1 201 555 0123");
  expect(await american.locator("[part~=consent]").isVisible()).toBe(true);
  await sendButton(american).click();
  await codeField(american).waitFor();

  expect(consents(events)).toEqual([undefined, expect.stringMatching(/^[0-9a-f]{16}$/)]);
});

test("without a script the line of consent is always in sight", async ({ start }) => {
  const app = await start({ login: { countries: ["DE", "US"] } });
  const page = await app.open("/login?lang=de", { javaScriptEnabled: false });
  expect(await page.locator("[part~=consent]").evaluate((line) => getComputedStyle(line).display)).toBe("block");
});
