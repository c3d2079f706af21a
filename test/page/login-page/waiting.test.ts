import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  alert,
  askForCode,
  codeField,
  codeFor,
  countRequests,
  fillIn,
  help,
  logInButton,
  newPhone,
  otherThan,
  phoneField,
  sendButton,
  test,
  untilDelivered,
} from "./fixtures.ts";

const resendButton = (page: Page) => page.getByRole("button", { name: "Send by text message" });
const installClock = (page: Page) => page.clock.install();

/** From here on the time of the page moves by hand only, and the server, whose time goes on, has nothing more to tell. */
async function stopClock(page: Page): Promise<void> {
  await untilDelivered(page);
  await page.clock.pauseAt(Date.now() + 2000);
}

/** Records each text of the region that is only announced. */
const recordAnnouncements = `
  window.announced = [];
  new MutationObserver(() => {
    const text = document.querySelector('[part=announcement]').textContent;
    if (text !== announced.at(-1)) announced.push(text);
  }).observe(document.querySelector('[part=announcement]'), { childList: true, characterData: true, subtree: true });`;

/** What the translation of a browser does: it puts elements with other words in place of the texts. */
const translate = `
  const texts = document.createTreeWalker(document.querySelector("phone-login"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) found.push(texts.currentNode);
  for (const text of found) {
    const other = document.createElement("font");
    other.textContent = text.data.toUpperCase();
    text.replaceWith(other);
  }`;

describe("T31: the countdown", () => {
  test("is seen each second, and announced at its start and at its end", async ({ start }) => {
    const page = await (await start()).open("/login", { before: installClock });
    await page.locator("form[novalidate]").waitFor();
    await page.evaluate(recordAnnouncements);
    await askForCode(page);
    await help(page).click();
    const reason = page.locator("[part~=reason]").first();
    expect(await reason.getAttribute("aria-hidden")).toBe("true");
    await stopClock(page);
    const seen: (string | null)[] = [];
    for (let second = 0; second < 10; second += 1) {
      seen.push(await reason.textContent());
      await page.clock.runFor(1000);
    }
    expect(new Set(seen).size).toBe(10);
    await page.clock.runFor(30_000);
    expect(await reason.count()).toBe(0);
    // A send that takes longer than a moment is announced, too.
    const announced = (await page.evaluate<string[]>("announced")).filter((text) => text !== "Sending…");
    expect(announced).toHaveLength(2);
    expect(announced[0]).toMatch(/^You can request another code in \d+ seconds\.$/);
    expect(announced[1]).toBe("You can request another code now.");
  });
});

test("a page that the browser has translated stays translated while it counts down", async ({ start }) => {
  const page = await (await start()).open("/login", { before: installClock });
  await askForCode(page);
  await help(page).click();
  await untilDelivered(page);
  await stopClock(page);
  await page.evaluate(translate);
  const reason = page.locator("[part~=reason]").first();
  const before = await reason.textContent();
  await page.clock.runFor(3000);
  expect(await reason.textContent()).not.toBe(before);
  for (const part of ["label", "intro", "summary", "delivery-line"]) {
    expect(await page.locator(`[part~=${part}]`).first().textContent()).toMatch(/^[^a-z]+$/);
  }
});

test("T32: the button that sends again says why it cannot, and keeps the focus without trapping it", async ({
  start,
}) => {
  const page = await (await start()).open("/login", { before: installClock });
  const requests = countRequests(page, "/login/resend");
  await askForCode(page);
  await help(page).click();
  expect(await resendButton(page).getAttribute("aria-disabled")).toBe("true");
  expect(await resendButton(page).getAttribute("disabled")).toBeNull();
  const reason = page.locator(`#${await resendButton(page).getAttribute("aria-describedby")}`);
  expect(await reason.textContent()).toMatch(/^Resend in 0:\d\d$/);
  // The other channels have the same pause, which is shown once.
  expect(await page.getByRole("button", { name: "Send by WhatsApp" }).getAttribute("aria-describedby")).toBe(
    await reason.getAttribute("id"),
  );
  expect(await page.locator("[part~=reason]").count()).toBe(1);
  await resendButton(page).focus();
  await page.keyboard.press("Enter");
  expect(requests()).toBe(0);
  await stopClock(page);
  await page.clock.runFor(31_000);
  expect(await resendButton(page).getAttribute("aria-disabled")).toBeNull();
  expect(await resendButton(page).evaluate((node) => node === document.activeElement)).toBe(true);
  await page.keyboard.press("Tab");
  expect(await resendButton(page).evaluate((node) => node === document.activeElement)).toBe(false);
});

test("T33: what was sent again is said for at least seven seconds", async ({ start }) => {
  const app = await start({ login: { limits: { cooldownSeconds: 0 } } });
  const page = await app.open("/login", { before: installClock });
  await askForCode(page);
  await help(page).click();
  await stopClock(page);
  await resendButton(page).click();
  const notice = page.getByText("A code was sent again.");
  await notice.waitFor();
  expect(await notice.getAttribute("role")).toBe("status");
  expect(await resendButton(page).evaluate((node) => node === document.activeElement)).toBe(true);
  await page.clock.runFor(7000);
  expect(await notice.count()).toBe(1);
  await page.clock.runFor(5000);
  expect(await notice.count()).toBe(0);
});

describe("T34: no code?", () => {
  test("shows the number as it was understood, and the other channels", async ({ start }) => {
    const page = await (await start()).open();
    await askForCode(page, "01512 3456177");
    await help(page).click();
    await page.getByText("Is +49 1512 3456177 your number?").waitFor();
    await untilDelivered(page);
    // The state of each channel stands once on the page, above the code.
    expect(await page.getByText("Code by text message: delivered").count()).toBe(1);
    expect(await page.locator("li").allTextContents()).toEqual(["Send by text message", "Send by WhatsApp"]);
  });

  test("changes the number in one step, without typing it again", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    await askForCode(page, "01512 3456178");
    await help(page).click();
    await page.getByRole("button", { name: "Change number" }).click();
    expect(await phoneField(page).inputValue()).toBe("+49 1512 3456178");
    expect(await phoneField(page).evaluate((node) => node === document.activeElement)).toBe(true);
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("9");
    await sendButton(page).click();
    await page.getByText("We sent a code to +49 1512 3456179.").waitFor();
    const code = await codeFor(sandbox, "+4915123456179");
    await codeField(page).pressSequentially(code);
    await logInButton(page).click();
    await page.waitForURL("**/account");
  });
});

describe("T35: the delivery", () => {
  test("is shown live in a polite region: a text message that fails, and WhatsApp after it, whose code logs in", async ({
    start,
    sandbox,
  }) => {
    const page = await (await start()).open();
    await askForCode(page, "+491713920015");
    const region = page.locator("[part~=delivery]");
    expect(await region.getAttribute("role")).toBe("status");
    await region.getByText("Code by text message: not delivered").waitFor();
    await region.getByText("Code by WhatsApp: delivered").waitFor();
    expect(await region.locator("[part~=look]").textContent()).toBe("Look in WhatsApp.");
    const message = sandbox.inbox.list({ to: "+491713920015" }).findLast(({ channel }) => channel === "WHATSAPP");
    await fillIn(page, "code", message?.code ?? "");
    await page.waitForURL("**/account");
  });

  test("is not claimed before a webhook tells of it", async ({ start }) => {
    const page = await (await start()).open();
    await askForCode(page, "+491713920025");
    await page.locator("[part~=delivery]").getByText("Code by text message: sent").waitFor();
    expect(await page.getByText(/delivered/).count()).toBe(0);
  });

  test("is not drawn again when nothing has changed", async ({ start }) => {
    const page = await (await start()).open();
    await askForCode(page);
    await page.locator("[part~=delivery]").getByText("delivered").waitFor();
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver(() => (window.changes += 1)).observe(document.querySelector('[part~=delivery]'), { childList: true, subtree: true, characterData: true });`);
    await page.evaluate("dispatchEvent(new Event('pageshow'))");
    await page.waitForResponse("**/login/state");
    expect(await page.evaluate("changes")).toBe(0);
  });
});

describe("T37: one login in", () => {
  test("a page that is loaded again, or come back to", async ({ start, sandbox }) => {
    const app = await start();
    const page = await app.open();
    const phone = await askForCode(page);
    await page.reload();
    await codeField(page).waitFor();
    await page.goto(`${app.url}/account`);
    await page.goBack();
    await codeField(page).pressSequentially(await codeFor(sandbox, phone));
    await logInButton(page).click();
    await page.waitForURL("**/account");
    expect(sandbox.inbox.list({ to: phone })).toHaveLength(1);
  });

  test("two tabs: a code that was sent in one is seen in the other, and logs in both", async ({ start, sandbox }) => {
    const app = await start();
    const first = await app.open();
    const second = await app.open("/login", { besides: first });
    const phone = await askForCode(first);
    await second.evaluate("dispatchEvent(new Event('pageshow'))");
    await codeField(second).pressSequentially(await codeFor(sandbox, phone));
    await logInButton(second).click();
    await second.waitForURL("**/account");
    await first.waitForURL("**/account");
  });

  test("a page whose login was replaced in another tab uses up no attempt", async ({ start, sandbox }) => {
    const app = await start();
    const first = await app.open();
    const old = await askForCode(first);
    const second = await app.open("/login", { besides: first });
    await help(second).click();
    await second.getByRole("button", { name: "Change number" }).click();
    const phone = newPhone();
    await phoneField(second).fill(phone);
    await sendButton(second).click();
    await codeField(second).waitFor();
    await codeField(first).pressSequentially(await codeFor(sandbox, old));
    await logInButton(first).click();
    await alert(first).waitFor();
    await codeField(second).pressSequentially(await codeFor(sandbox, phone));
    await logInButton(second).click();
    await second.waitForURL("**/account");
  });
});

test("a request that takes longer than 300 ms says so: on its button, in aria-busy and in a polite region", async ({
  start,
}) => {
  const page = await (await start()).open("/login", { before: installClock });
  const held = Promise.withResolvers<void>();
  await page.route("**/login/start", (route) => held.promise.then(() => route.continue()));
  await phoneField(page).fill(newPhone());
  await page.clock.pauseAt(Date.now() + 2000);
  const shown = async () => [
    await page.locator("[part~=send]").textContent(),
    await page.locator("[part~=spinner]").count(),
    await page.locator("[part~=step]").getAttribute("aria-busy"),
    await page.locator("[part=announcement]").textContent(),
  ];
  await sendButton(page).click();
  await page.clock.runFor(299);
  expect(await shown()).toEqual(["Send code", 0, null, ""]);
  await page.clock.runFor(1);
  expect(await shown()).toEqual(["Sending…", 1, "true", "Sending…"]);
  held.resolve();
  await codeField(page).waitFor();
  expect(await page.locator("[part~=step]").getAttribute("aria-busy")).toBeNull();
  expect(await page.locator("[part=announcement]").textContent()).toMatch(/^You can request another code in/);
});

test("a short pause of a refused start is counted down at its button, and ends with another number", async ({
  start,
}) => {
  const app = await start();
  const phone = await askForCode(await app.open());
  const page = await app.open("/login", { before: installClock });
  await phoneField(page).fill(phone);
  await sendButton(page).click();
  await page.getByText("A code was sent a moment ago.", { exact: true }).waitFor();
  expect(await page.locator("[part~=reason]").textContent()).toMatch(/^Try again in 0:\d\d$/);
  expect(await sendButton(page).getAttribute("aria-disabled")).toBe("true");
  await phoneField(page).fill(newPhone());
  expect(await page.locator("[part~=reason]").count()).toBe(0);
  await sendButton(page).click();
  await codeField(page).waitFor();
});

describe("what ends a login", () => {
  test("a pause between codes is counted down, and its end is announced", async ({ start, sandbox }) => {
    const app = await start({ login: { limits: { checkPauseSeconds: [40] } } });
    const page = await app.open("/login", { before: installClock });
    const phone = await askForCode(page);
    await codeField(page).pressSequentially(otherThan(await codeFor(sandbox, phone)));
    await logInButton(page).click();
    await page.getByText("That code is incorrect. You have 4 attempts left.", { exact: true }).waitFor();
    expect(await page.locator("[part=announcement]").textContent()).toMatch(/^Try again in \d\d seconds\.$/);
    expect(await logInButton(page).getAttribute("aria-disabled")).toBe("true");
    await page
      .locator("[part~=confirm-form] [part~=reason]")
      .getByText(/^Try again in 0:\d\d$/)
      .waitFor();
    await stopClock(page);
    await page.clock.runFor(42_000);
    expect(await logInButton(page).getAttribute("aria-disabled")).toBeNull();
    expect(await page.locator("[part=announcement]").textContent()).toBe("You can try another code now.");
  });

  test("an expired code is said so, and the number is kept", async ({ start }) => {
    const app = await start();
    const page = await app.open("/login", { before: installClock });
    await askForCode(page, "01512 3456190");
    await page.route("**/login/state*", (route) =>
      route.fulfill({ json: { status: "none", version: "0" }, headers: { "cache-control": "no-store" } }),
    );
    await page.clock.fastForward(11 * 60_000);
    await page.evaluate("dispatchEvent(new Event('pageshow'))");
    await page.clock.runFor(1000);
    await page.getByText("This code is no longer valid. Request a new code.").waitFor();
    expect(await phoneField(page).inputValue()).toBe("+49 1512 3456190");
  });

  test("a login that was lost, after a wrong code, is said so, and no pause is promised", async ({
    start,
    sandbox,
  }) => {
    const app = await start();
    const page = await app.open();
    const phone = await askForCode(page);
    await codeField(page).pressSequentially(otherThan(await codeFor(sandbox, phone)));
    await logInButton(page).click();
    await page.getByText("You have 4 attempts left.").waitFor();
    // A process that has lost its memory knows no login.
    await page.route("**/login/state*", (route) =>
      route.fulfill({ json: { status: "none", version: "0" }, headers: { "cache-control": "no-store" } }),
    );
    await page.evaluate("dispatchEvent(new Event('pageshow'))");
    await phoneField(page).waitFor();
    expect(await alert(page).textContent()).toBe("This code is no longer valid. Request a new code.");
    expect(await page.locator("[part=announcement]").textContent()).toBe("");
  });
});

test("a code that is refused after the person has gone on to another number is no problem of that step", async ({
  start,
}) => {
  const page = await (await start()).open();
  await askForCode(page);
  const held = Promise.withResolvers<void>();
  await page.route("**/login/confirm", (route) => held.promise.then(() => route.continue()));
  const events = page.evaluate(
    "new Promise((resolve) => document.addEventListener('phone-login:problem', ({ detail }) => resolve(detail.problem.code)))",
  );
  await codeField(page).pressSequentially("000000");
  await codeField(page).press("Enter");
  await help(page).click();
  await page.getByRole("button", { name: "Change number" }).click();
  await phoneField(page).waitFor();
  held.resolve();

  expect(await events).toBe("code_rejected");
  expect(await alert(page).count()).toBe(0);
  await page.getByRole("button", { name: "Back" }).click();
  await codeField(page).pressSequentially("000000");
  await codeField(page).press("Enter");
  await page.getByText("That code is incorrect.").waitFor();
});
