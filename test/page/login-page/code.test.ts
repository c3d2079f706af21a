import { serviceCodes } from "@doorcode/core";
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
  otherThan,
  paste,
  phoneField,
  sendButton,
  test,
} from "./fixtures.ts";

/** Waits until the field has a code in it, as it was cleaned. */
async function hasCode(page: Page, code: string): Promise<void> {
  await expect.poll(() => codeField(page).inputValue()).toBe(code);
}

/** Returns the size of the slots that are drawn below the digits. */
const slotsOf = (page: Page) => codeField(page).evaluate((node) => getComputedStyle(node).backgroundSize);

/** Leaves the sending of a code to its button. */
const preventAutosubmit = "addEventListener('phone-login:autosubmit', (event) => event.preventDefault())";

test("T16, T17: the field is a text that a phone fills in from the message", async ({ start }) => {
  const page = await (await start()).open();
  await askForCode(page);
  const names = ["type", "inputmode", "autocomplete", "spellcheck", "autocapitalize", "maxlength", "enterkeyhint"];
  const attributes = await Promise.all(names.map((name) => codeField(page).getAttribute(name)));
  expect(attributes).toEqual(["text", "numeric", "one-time-code", "false", "off", null, "go"]);
  const isValid = (value: string) =>
    codeField(page).evaluate((node, text) => {
      (node as HTMLInputElement).value = text;
      return (node as HTMLInputElement).validity.valid;
    }, value);
  // Six slots, which no browser without a window draws as wide as another one.
  expect(Number.parseFloat(await slotsOf(page))).toBeGreaterThan(50);
  expect(await isValid("123 456")).toBe(true);
  expect(await isValid("١٢٣٤٥٦")).toBe(true);
  expect(await isValid("abc")).toBe(false);
});

test("T18, T19: a pasted text ends in its code, and so does a text that is filled in with change or focusout alone", async ({
  start,
}) => {
  const page = await (await start()).open();
  await askForCode(page);
  await page.evaluate(preventAutosubmit);
  await paste(page, "code", "Your code is 123–456");
  await hasCode(page, "123456");
  for (const event of ["change", "focusout"]) {
    await fillIn(page, "code", "G-123456", [event]);
    await hasCode(page, "123456");
  }
});

test("T19: autofill without any event is seen on submit", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  const phone = await askForCode(page);
  const code = await codeFor(sandbox, phone);
  await fillIn(page, "code", `Code: ${code}`, []);
  await logInButton(page).click();
  await page.waitForURL("**/account");
});

test("T21: browsers cannot keep or offer old codes: no name, and an id that is new each time", async ({ start }) => {
  const app = await start();
  const page = await app.open();
  await askForCode(page);
  const first = await codeField(page).getAttribute("id");
  expect(await codeField(page).getAttribute("name")).toBeNull();
  await page.reload();
  await page.locator("form[novalidate]").first().waitFor();
  const second = await codeField(page).getAttribute("id");
  expect(second).not.toBe(first);
  expect(second).toMatch(/^c[0-9a-z]+$/);
});

test("T22: a password manager's badge covers no digit of ten at 320 px, in either direction", async ({ start }) => {
  const page = await (await start()).open("/login", { viewport: { width: 320, height: 640 } });
  await askForCode(page);
  await page.evaluate(preventAutosubmit);
  await codeField(page).fill("8888888888");
  for (const dir of ["ltr", "rtl"]) {
    await page.evaluate(`document.documentElement.dir = "${dir}"`);
    const field = await codeField(page).evaluate((node) => {
      const style = getComputedStyle(node);
      return { end: style.paddingRight, fits: node.scrollWidth <= node.clientWidth };
    });
    expect(field, dir).toEqual({ end: "48px", fits: true });
  }
});

test("T23: Arabic-Indic digits count, and the code reads left to right in a right-to-left page", async ({
  start,
  sandbox,
}) => {
  const page = await (await start()).open("/login?dir=rtl");
  const phone = await askForCode(page);
  const code = await codeFor(sandbox, phone);
  const arabic = Array.from(code, (digit) => String.fromCodePoint(0x660 + Number(digit))).join("");
  expect(await codeField(page).evaluate((node) => getComputedStyle(node).direction)).toBe("ltr");
  expect(await codeField(page).evaluate((node) => getComputedStyle(node).textAlign)).toBe("right");
  await codeField(page).pressSequentially(arabic);
  expect(await codeField(page).inputValue()).toBe(arabic);
  await codeField(page).press("Enter");
  await page.waitForURL("**/account");
});

test("T24: a code of unknown length has no hint, and is never sent by itself", async ({ start, sandbox }) => {
  const app = await start({ login: { codes: serviceCodes({ template: "login" }) } });
  const page = await app.open();
  const requests = countRequests(page, "/login/confirm");
  const phone = await askForCode(page);
  expect(await page.getByText(/digits/).count()).toBe(0);
  expect(await slotsOf(page)).toBe("0px 2px");
  const code = await codeFor(sandbox, phone);
  await paste(page, "code", `Your code is ${code}`);
  await hasCode(page, code);
  expect(requests()).toBe(0);
  await logInButton(page).click();
  await page.waitForURL("**/account");
});

describe("T25: a code is sent by itself", () => {
  test("only when all digits came at once, not when they were typed", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    const requests = countRequests(page, "/login/confirm");
    const phone = await askForCode(page);
    const code = await codeFor(sandbox, phone);
    await codeField(page).pressSequentially(code);
    await codeField(page).blur();
    expect(requests()).toBe(0);
    await codeField(page).fill("");
    await paste(page, "code", code);
    await page.waitForURL("**/account");
    expect(requests()).toBe(1);
  });

  test("once for a value", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    const requests = countRequests(page, "/login/confirm");
    const phone = await askForCode(page);
    const wrong = otherThan(await codeFor(sandbox, phone));
    await fillIn(page, "code", wrong);
    await alert(page).waitFor();
    await codeField(page).fill("");
    await fillIn(page, "code", wrong);
    expect(requests()).toBe(1);
    await logInButton(page).click();
    await page.getByText("You have 3 attempts left.").waitFor();
    expect(requests()).toBe(2);
  });

  test("unless the app prevents it; the button stays", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    const requests = countRequests(page, "/login/confirm");
    const phone = await askForCode(page);
    await page.evaluate(preventAutosubmit);
    await fillIn(page, "code", await codeFor(sandbox, phone));
    expect(requests()).toBe(0);
    await logInButton(page).click();
    await page.waitForURL("**/account");
  });
});

describe("T26: the focus", () => {
  const part = (page: Page) => page.evaluate("document.activeElement.getAttribute('part')");

  test("goes to the code after sending, and to the field in error after a refusal", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    await phoneField(page).fill("12");
    await sendButton(page).click();
    await alert(page).waitFor();
    expect(await part(page)).toBe("input phone");
    const phone = await askForCode(page);
    expect(await part(page)).toBe("input code slots-6");
    await codeField(page).pressSequentially(otherThan(await codeFor(sandbox, phone)));
    await logInButton(page).focus();
    await page.keyboard.press("Enter");
    await alert(page).waitFor();
    expect(await part(page)).toBe("input code slots-6");
    expect(await page.evaluate("getSelection().toString().length")).toBe(6);
  });

  test("does not move when the page learns something", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    await askForCode(page);
    await help(page).click();
    await codeField(page).pressSequentially("12");
    await page.getByText("Code by text message: delivered").first().waitFor();
    expect(await part(page)).toBe("input code slots-6");
    expect(await codeField(page).inputValue()).toBe("12");
    expect(await page.evaluate("document.activeElement.selectionStart")).toBe(2);
    expect(sandbox.inbox.list().length).toBeGreaterThan(0);
  });
});

describe("27 is tried on phones by hand. In Chromium, WebOTP", () => {
  /** Puts a WebOTP into the page that a test answers: `otp.answer(code)`. */
  const stub = `
    window.OTPCredential = class {};
    window.otp = { requests: [] };
    navigator.credentials.get = ({ otp, signal }) => new Promise((resolve, reject) => {
      window.otp.requests.push({ transport: otp.transport, signal });
      window.otp.answer = (code) => resolve({ code });
      signal.addEventListener("abort", () => reject(signal.reason));
    });`;
  const before = (page: Page) => page.addInitScript(stub);
  const aborted = (page: Page) => page.evaluate("otp.requests.map(({ signal }) => signal.aborted)");

  test("logs in with the code that the browser has read", async ({ start, sandbox }) => {
    const page = await (await start()).open("/login", { before });
    const phone = await askForCode(page);
    const code = await codeFor(sandbox, phone);
    expect(await page.evaluate("otp.requests.map(({ transport }) => transport)")).toEqual([["sms"]]);
    await page.evaluate(`otp.answer(${JSON.stringify(code)})`);
    await page.waitForURL("**/account");
  });

  test("has one request, which ends on submit, on a change of the number and when the element leaves", async ({
    start,
  }) => {
    const page = await (await start({ login: { limits: { cooldownSeconds: 0 } } })).open("/login", { before });
    await askForCode(page);
    await codeField(page).pressSequentially("000000");
    await codeField(page).press("Enter");
    await alert(page).waitFor();
    expect(await aborted(page)).toEqual([true]);
    await help(page).click();
    await page.getByRole("button", { name: "Send by WhatsApp" }).click();
    await page.getByText("A code was sent again.").waitFor();
    expect(await aborted(page)).toEqual([true, false]);
    await page.getByRole("button", { name: "Change number" }).click();
    expect(await aborted(page)).toEqual([true, true]);
    await page.getByRole("button", { name: "Back" }).click();
    expect(await aborted(page)).toEqual([true, true, false]);
    await page.evaluate("document.querySelector('phone-login').remove()");
    expect(await aborted(page)).toEqual([true, true, true]);
  });
});

test("T30: the code of before a resend is refused in words that say why", async ({ start, sandbox }) => {
  const page = await (await start({ login: { limits: { cooldownSeconds: 0 } } })).open();
  const phone = await askForCode(page);
  const first = await sandbox.inbox.wait({ to: phone });
  await help(page).click();
  await page.getByRole("button", { name: "Send by text message" }).click();
  const second = await sandbox.inbox.wait({ to: phone, after: first.id });
  await codeField(page).pressSequentially(first.code ?? "");
  await codeField(page).press("Enter");
  await page.getByText("A newer code was sent. Enter the code of the latest message.").waitFor();
  await fillIn(page, "code", second.code ?? "");
  await page.waitForURL("**/account");
});
