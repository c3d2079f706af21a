import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  alert,
  askForCode,
  codeField,
  codeFor,
  fillIn,
  help,
  logInButton,
  newPhone,
  phoneField,
  type StartApp,
  sendButton,
  test,
} from "./fixtures.ts";

test("a login goes on when the network was away in the middle", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  const phone = await askForCode(page);
  const code = await codeFor(sandbox, phone);
  await page.context().setOffline(true);
  await codeField(page).pressSequentially(code);
  await logInButton(page).click();
  await page.getByText("The server cannot be reached. Check your connection and try again.").waitFor();
  expect(await codeField(page).inputValue()).toBe(code);
  await page.context().setOffline(false);
  await logInButton(page).click();
  await page.waitForURL("**/account");
});

describe("a page that cannot be loaded", () => {
  /** Opens a page whose requests fail until `isUp` answers true. Its time goes on only when a test says so. */
  async function openUnloaded(start: StartApp, isUp: (page: Page) => unknown) {
    const page = await (await start()).open("/login?bare", {
      before: async (opening) => {
        await opening.clock.install();
        await opening.route("**/login/{state,offer}*", async (route) =>
          (await isUp(opening)) ? route.continue() : route.abort(),
        );
      },
    });
    await alert(page).waitFor();
    await page.clock.pauseAt(Date.now() + 2000);
    return page;
  }

  test("says so, and loads when the person tries again", async ({ start }) => {
    const page = await openUnloaded(start, (opening) => opening.evaluate("globalThis.hasClicked"));
    await page.evaluate("addEventListener('click', () => { globalThis.hasClicked = true; }, true)");
    await page.getByRole("button", { name: "Try again" }).click();
    await phoneField(page).waitFor();
    expect(await alert(page).count()).toBe(0);
  });

  test("tries again by itself, and then has no problem any more", async ({ start }) => {
    let isUp = false;
    const page = await openUnloaded(start, () => isUp);
    isUp = true;
    await expect
      .poll(async () => {
        await page.clock.runFor(5000);
        return phoneField(page).isVisible();
      })
      .toBe(true);
    expect(await alert(page).count()).toBe(0);
    await page.getByLabel("Country").waitFor();
  });
});

test("a number that was asked too often is told the time of its limit, on the person's clock", async ({ start }) => {
  const app = await start({ login: { limits: { sendsPerPhone: 1, cooldownSeconds: 0 } } });
  // In one of the two the limit ends today: tomorrow's times have their date.
  const timezoneId = new Date().getUTCHours() < 12 ? "UTC" : "Pacific/Honolulu";
  const page = await app.open("/login", { locale: "en-GB", timezoneId });
  await askForCode(page);
  await help(page).click();
  await page.getByRole("button", { name: "Send by text message" }).click();
  await page.getByText(/^Too many codes were sent to this number\. Try again at \d\d?:\d\d/).waitFor();
});

test("two elements for two mounts on one page know nothing of each other", async ({ start }) => {
  const page = await (await start()).open("/login?bare");
  await phoneField(page).waitFor();
  await page.evaluate(`
    const other = document.createElement("phone-login");
    other.setAttribute("base-path", "/link");
    other.setAttribute("purpose", "link");
    document.body.append(other);`);
  await page.getByText("Enter the phone number to add.").waitFor();
  const fields = page.getByLabel("Phone number");
  expect(await fields.count()).toBe(2);
  await fields.first().fill(newPhone());
  await page.getByRole("button", { name: "Send code" }).first().click();
  await codeField(page).waitFor();
  expect(await fields.count()).toBe(1);
});

test("a second copy of the script does no harm", async ({ start }) => {
  const page = await (await start()).open();
  await page.locator("form[novalidate]").waitFor();
  await page.addScriptTag({ type: "module", url: "/phone-login.js?again" });
  await askForCode(page);
});

test("a person who stays on the page logs out and begins anew", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  await page.evaluate("addEventListener('phone-login:confirmed', (event) => event.preventDefault())");
  const phone = await askForCode(page);
  await fillIn(page, "code", await codeFor(sandbox, phone));
  await page.getByRole("button", { name: "Log out" }).click();
  await phoneField(page).waitFor();
});

test("a problem of one step is not shown in the next, which came from another tab", async ({ start }) => {
  const app = await start();
  const page = await app.open();
  await phoneField(page).fill("12");
  await sendButton(page).click();
  await alert(page).waitFor();
  await askForCode(await app.open("/login", { besides: page }));
  await page.evaluate("dispatchEvent(new Event('pageshow'))");
  await codeField(page).waitFor();
  expect(await alert(page).count()).toBe(0);
});
