import { de } from "@doorcode/browser/element";
import type { BeforeSendAnswer } from "@doorcode/core";
import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import {
  alert,
  askForCode,
  codeField,
  codeFor,
  fillIn,
  logInButton,
  newPhone,
  otherThan,
  phoneField,
  sendButton,
  test,
} from "./fixtures.ts";

const names = ["sent", "confirmed", "problem", "challenge", "statechange", "autosubmit"];
/** Records the events of the page, outside of the element. */
const record = `
  window.events = [];
  for (const name of ${JSON.stringify(names)})
    document.addEventListener("phone-login:" + name, (event) => {
      events.push([name, event.cancelable, Object.keys(event.detail)]);
      if (name === "confirmed") event.preventDefault();
    });`;

describe("T40: events", () => {
  test("bubble, can be prevented where they act, and hold no code", async ({ start, sandbox }) => {
    const page = await (await start()).open("/login", { before: (opening) => opening.addInitScript(record) });
    await phoneField(page).fill("12");
    await sendButton(page).click();
    await alert(page).waitFor();
    const phone = await askForCode(page);
    await fillIn(page, "code", await codeFor(sandbox, phone));
    await page.getByText("You are logged in.").waitFor();
    const events = await page.evaluate<[string, boolean, string[]][]>("events");
    const first = [...new Map(events.map((event) => [event[0], event])).values()];
    expect(first.sort()).toEqual([
      ["autosubmit", true, []],
      ["confirmed", true, ["state"]],
      ["problem", false, ["problem"]],
      ["sent", false, ["state", "action"]],
      ["statechange", false, ["state"]],
    ]);
    expect(page.url()).toMatch(/\/login$/);
  });

  test("the login leads to next", async ({ start, sandbox }) => {
    const page = await (await start()).open("/login?next=%2Faccount%3Ftab%3D2");
    const phone = await askForCode(page);
    await fillIn(page, "code", await codeFor(sandbox, phone));
    await page.waitForURL("**/account?tab=2");
  });

  test("an attribute next that the app did not check leads to no other site, but to done", async ({
    start,
    sandbox,
  }) => {
    const page = await (await start()).open("/login?bare");
    await page.evaluate("document.querySelector('phone-login').setAttribute('next', 'javascript:document.title=1')");
    const phone = await askForCode(page);
    await fillIn(page, "code", await codeFor(sandbox, phone));
    await page.waitForURL("**/account");
  });

  test("a challenge is solved by the app, and the number is sent again with its token", async ({ start }) => {
    const tokens: (string | undefined)[] = [];
    const app = await start({
      login: {
        beforeSend({ challenge }): BeforeSendAnswer {
          tokens.push(challenge);
          return challenge === "solved" ? "allow" : "challenge";
        },
      },
    });
    const page = await app.open();
    await page.evaluate(`document.addEventListener("phone-login:challenge", ({ detail }) => {
      detail.container.textContent = "A puzzle";
      window.solve = detail.solve;
    })`);
    await phoneField(page).fill(newPhone());
    await sendButton(page).click();
    const note = page.locator("[part~=note]");
    expect(await note.textContent()).toBe("Please confirm that you are not a robot.");
    // It is no error: neither to screen readers, which hear it politely, nor in its color.
    expect(await alert(page).count()).toBe(0);
    expect(await page.locator("[part=announcement]").textContent()).toBe(await note.textContent());
    const colorOf = (found: Locator) => found.evaluate((node) => getComputedStyle(node).color);
    expect(await colorOf(note)).toBe(await colorOf(page.getByRole("heading")));
    await page.getByText("A puzzle").waitFor();
    await page.evaluate("solve('solved')");
    await codeField(page).waitFor();
    expect(tokens).toEqual([undefined, "solved"]);
  });

  test("a challenge in the server's HTML is sent with the form, and is left alone by the element", async ({
    start,
  }) => {
    const tokens: (string | undefined)[] = [];
    const app = await start({
      render: {
        challenge:
          '<b id="puzzle">A puzzle</b><input type="hidden" name="challenge" value="solved"><input type="hidden" name="action" value="login"><i aria-disabled="true">Skip</i>',
      },
      login: {
        beforeSend({ challenge }) {
          tokens.push(challenge);
          return "allow";
        },
      },
    });
    const page = await app.open("/login?late");
    await page.evaluate("window.puzzle = document.querySelector('#puzzle')");
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.locator("form[novalidate]").waitFor();
    await phoneField(page).fill("12");
    await sendButton(page).click();
    await alert(page).waitFor();
    expect(await page.evaluate("puzzle === document.querySelector('#puzzle')")).toBe(true);
    await askForCode(page);
    expect(tokens).toEqual(["solved"]);
  });
});

describe("T40: properties", () => {
  test("that were set before the element was defined count", async ({ start }) => {
    const page = await (await start()).open("/login?bare&late");
    await page.evaluate(`
      const element = document.querySelector("phone-login");
      element.strings = { send: "Go" };
      element.offer = { countries: [{ country: "AT", callingCode: "43", example: "0664 1" }], codeLength: 6 };
      element.state = { status: "none", version: "0" };`);
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.getByRole("button", { name: "Go" }).waitFor();
    await page.getByText("0664 1").waitFor();
  });

  test("change the page when they are set later, and keep what was typed", async ({ start }) => {
    const page = await (await start()).open();
    await phoneField(page).fill("01512");
    await page.evaluate("document.querySelector('phone-login').strings = { phone: 'Your mobile' }");
    expect(await page.getByLabel("Your mobile").inputValue()).toBe("01512");
    const words = { ...de, phone: "Handy" };
    await page.evaluate(
      (words) => Object.assign(document.querySelector("phone-login") as object, { strings: words }),
      words,
    );
    await page.getByRole("button", { name: "Code schicken" }).waitFor();
    expect(await page.getByLabel("Handy").inputValue()).toBe("01512");
  });

  test("an element that is moved, removed and put back goes on", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    const phone = await askForCode(page);
    await page.evaluate("document.body.prepend(document.querySelector('phone-login'))");
    await codeField(page).waitFor();
    await page.evaluate("window.element = document.querySelector('phone-login'); element.remove()");
    await page.evaluate("document.body.append(element)");
    await codeField(page).pressSequentially(await codeFor(sandbox, phone));
    await logInButton(page).click();
    await page.waitForURL("**/account");
  });

  test("nothing secret stands in an attribute of the element", async ({ start, sandbox }) => {
    const page = await (await start()).open();
    const phone = await askForCode(page, "01512 3456191");
    await page.reload();
    const attributes = await page.evaluate<string>(
      "[...document.querySelector('phone-login').attributes].map(({ value }) => value).join(' ')",
    );
    expect(attributes).toContain("code_sent");
    expect(attributes).not.toContain(await codeFor(sandbox, "+4915123456191"));
    expect(attributes.replaceAll(" ", "")).not.toContain(phone.replaceAll(" ", "").slice(1));
  });
});

test("T39: any language is an object of strings: Arabic, right to left, with its plurals and numbers of the page's clock", async ({
  start,
  sandbox,
}) => {
  const strings = {
    phone: "رقم الهاتف",
    country: "البلد",
    send: "أرسل الرمز",
    sentTo: "أرسلنا رمزًا إلى {phone}.",
    code: "الرمز",
    confirm: { login: "تسجيل الدخول" },
    attemptsLeft: { two: "بقيت محاولتان.", few: "بقيت {count} محاولات.", other: "بقيت {count} محاولة." },
    problems: { code_rejected: "هذا الرمز غير صحيح." },
  };
  const page = await (await start({ render: { strings } })).open("/login?lang=ar&dir=rtl");
  expect(await page.getByLabel("البلد").locator("option").first().textContent()).toContain("ألمانيا");
  const phone = newPhone();
  await page.getByLabel("رقم الهاتف").fill(phone);
  await page.getByRole("button", { name: "أرسل الرمز" }).click();
  await page.getByLabel("الرمز", { exact: true }).pressSequentially(otherThan(await codeFor(sandbox, phone)));
  await page.getByRole("button", { name: "تسجيل الدخول" }).click();
  expect(await alert(page).textContent()).toBe("هذا الرمز غير صحيح. بقيت 4 محاولات.");
  expect(await page.locator("[part~=problem]").evaluate((node) => getComputedStyle(node).direction)).toBe("rtl");
  expect(
    await page
      .locator("[part~=number]")
      .first()
      .evaluate((node) => getComputedStyle(node).direction),
  ).toBe("ltr");
});
