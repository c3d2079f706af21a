import type { Sandbox } from "@doorcode/sandbox";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { askForCode, codeField, codeFor, logInButton, type OpenApp, paste, test } from "./fixtures.ts";

const limits = { cooldownSeconds: 0 };
const choice = (page: Page) => page.getByLabel("Do not ask again in this browser");

/** Logs in and opens the code step of a step-up, with the code in hand. */
async function untilStepUp(app: OpenApp, sandbox: Sandbox, options?: BrowserContextOptions) {
  const page = await app.open("/login", options);
  const phone = await askForCode(page);
  await codeField(page).pressSequentially(await codeFor(sandbox, phone));
  await logInButton(page).click();
  await page.waitForURL("**/account");
  await page.goto(`${app.url}/step-up`);
  await page.getByRole("button", { name: "Send code" }).click();
  await choice(page).waitFor();
  return { page, code: await codeFor(sandbox, phone) };
}

/** Confirms, and returns the choice that was sent. */
async function confirm(page: Page): Promise<unknown> {
  const sent = page.waitForRequest("**/step-up/confirm");
  await page.getByRole("button", { name: "Confirm" }).click();
  const request = await sent;
  await page.waitForURL("**/account");
  const text = request.postData() ?? "";
  return text.startsWith("{") ? JSON.parse(text).remember : (new URLSearchParams(text).get("remember") ?? undefined);
}

test("a step-up asks whether to ask again in this browser, and sends what was chosen", async ({ start, sandbox }) => {
  const app = await start({ login: { limits } });
  for (const chosen of [undefined, true]) {
    const { page, code } = await untilStepUp(app, sandbox);
    expect(await choice(page).isChecked()).toBe(false);
    if (chosen) await choice(page).check();
    // A code that comes at once would be sent before anybody could choose.
    await paste(page, "code", code);
    expect(await codeField(page).inputValue()).toBe(code);
    expect(await confirm(page)).toBe(chosen);
  }
});

test("the choice works without a script, and stays when a wrong code is refused with one", async ({
  start,
  sandbox,
}) => {
  const app = await start({ login: { limits } });
  const plain = await untilStepUp(app, sandbox, { javaScriptEnabled: false });
  await choice(plain.page).check();
  await codeField(plain.page).fill(plain.code);
  expect(await confirm(plain.page)).toBe("on");

  const { page, code } = await untilStepUp(app, sandbox);
  await choice(page).check();
  await codeField(page).fill(code === "111111" ? "222222" : "111111");
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("alert").waitFor();
  await codeField(page).fill(code);
  expect(await confirm(page)).toBe(true);
});

test("a login has no such choice", async ({ start }) => {
  const page = await (await start()).open();
  await askForCode(page);
  expect(await page.getByRole("checkbox").count()).toBe(0);
});
