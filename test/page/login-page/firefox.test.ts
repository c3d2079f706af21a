import { createSandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Firefox, type FirefoxPage, findFirefox, startFirefox } from "../../support/firefox.ts";
import { startPageApp } from "./page-app.ts";

const enter = "\uE007";
const path = findFirefox();

describe.runIf(path !== undefined)("in Firefox", () => {
  let firefox: Firefox;
  beforeAll(async () => {
    firefox = await startFirefox(path ?? "");
  });
  afterAll(() => firefox?.close());

  const focus = (page: FirefoxPage, part: string) =>
    page.evaluate(`document.querySelector('[part~="${part}"]').focus()`);
  const waitFor = (page: FirefoxPage, expression: string) => expect.poll(() => page.evaluate(expression)).toBe(true);
  const shows = (page: FirefoxPage, text: string) =>
    waitFor(page, `document.body.textContent.includes(${JSON.stringify(text)})`);

  async function startApp() {
    const sandbox = await createSandbox({ port: 0 });
    const app = await startPageApp({ sandbox });
    onTestFinished(async () => {
      await app.close();
      await sandbox.close();
    });
    return { sandbox, app };
  }

  test("a person logs in with the keyboard, after a wrong code, and sees the delivery live", async () => {
    const { sandbox, app } = await startApp();
    const page = await firefox.open();
    await page.goto(`${app.url}/login`);
    await waitFor(page, `document.querySelector("form[novalidate]") !== null`);
    await focus(page, "phone");
    await page.type(`015123456789${enter}`);
    await waitFor(page, `document.activeElement.part.contains("code")`);
    const { code = "" } = await sandbox.inbox.wait({ to: "+4915123456789" });
    await shows(page, "Code by text message: delivered");
    await page.type(`${code === "111111" ? "222222" : "111111"}${enter}`);
    await shows(page, "That code is incorrect. You have 4 attempts left.");
    // The field in error has the focus, and its text is selected.
    await page.type(`${code}${enter}`);
    await waitFor(page, `location.pathname === "/account"`);
    expect(app.cspReports).toEqual([]);
  });

  test("a code that is filled in at once is sent by itself, and the page speaks German", async () => {
    const { sandbox, app } = await startApp();
    const page = await firefox.open();
    await page.goto(`${app.url}/login?lang=de`);
    await waitFor(page, `document.querySelector("form[novalidate]") !== null`);
    await focus(page, "phone");
    await page.type(`+49 151 23456780${enter}`);
    await waitFor(page, `document.activeElement.part.contains("code")`);
    await shows(page, "+49 1512 3456780");
    const { code = "" } = await sandbox.inbox.wait({ to: "+4915123456780" });
    await page.evaluate(`(() => {
      const field = document.querySelector('[part~="code"]');
      field.value = ${JSON.stringify(code)};
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })()`);
    await waitFor(page, `location.pathname === "/account"`);
    expect(firefox.errors).toEqual([]);
  });
});
