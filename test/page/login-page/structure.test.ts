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

test("T1: one real input for the number and one for the code, in the server's HTML and in the light DOM", async ({
  start,
}) => {
  const app = await start();
  const page = await app.open();
  const visible = page.locator("phone-login input:not([type=hidden])");
  expect(await (await fetch(`${app.url}/login`)).text()).toMatch(/<input part="input phone"/);
  expect(await visible.count()).toBe(1);
  await askForCode(page);
  expect(await visible.count()).toBe(1);
  expect(await page.evaluate("document.querySelector('phone-login').shadowRoot")).toBeNull();
  await page.reload();
  expect(await visible.count()).toBe(1);
});

describe("T2: without a script", () => {
  test("a login works, and shows what goes wrong", async ({ start, sandbox }) => {
    const app = await start({ login: { limits: { cooldownSeconds: 0 } } });
    const page = await app.open("/login?next=/account%3Ftab%3D1", { javaScriptEnabled: false });
    await page.getByLabel("Country").selectOption("AT");
    await phoneField(page).fill("0664 12");
    await sendButton(page).click();
    expect(await alert(page).textContent()).toBe("Enter a valid phone number, for example \u20660664 123456\u2069.");
    expect(await phoneField(page).inputValue()).toBe("0664 12");
    expect(await page.getByLabel("Country").inputValue()).toBe("AT");
    const phone = newPhone();
    await phoneField(page).fill(phone);
    await sendButton(page).click();
    const code = await codeFor(sandbox, phone);
    await codeField(page).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("code");
    const delivered = page.getByText("Code by text message: delivered");
    await expect
      .poll(async () => {
        const link = page.getByRole("link", { name: "Check the delivery" });
        if (await link.isVisible()) await link.click();
        return delivered.isVisible();
      })
      .toBe(true);
    expect(new URL(page.url()).search).toBe("?next=%2Faccount%3Ftab%3D1");
    await codeField(page).fill(otherThan(code));
    await logInButton(page).click();
    expect(await alert(page).textContent()).toBe("That code is incorrect. You have 4 attempts left.");
    await codeField(page).fill(`${code.slice(0, 3)} ${code.slice(3)}`);
    await logInButton(page).click();
    await page.waitForURL("**/account?tab=1");
  });

  test("a code is sent again, over another channel too, and the number can be changed", async ({ start, sandbox }) => {
    const app = await start({ login: { limits: { cooldownSeconds: 0 } } });
    const page = await app.open("/login", { javaScriptEnabled: false });
    const phone = newPhone();
    await phoneField(page).fill(phone);
    await sendButton(page).click();
    await page.getByText("No code?").click();
    const first = await sandbox.inbox.wait({ to: phone });
    await page.getByRole("button", { name: "Send by WhatsApp" }).click();
    const second = await sandbox.inbox.wait({ to: phone, after: first.id });
    expect([first.channel, second.channel]).toEqual(["SMS", "WHATSAPP"]);
    await page.getByText("No code?").click();
    await page.getByRole("button", { name: "Change number" }).click();
    await phoneField(page).waitFor();
  });

  test("says how many attempts are left, and after the last one that a new code is needed", async ({
    start,
    sandbox,
  }) => {
    const app = await start({ login: { limits: { checkPauseSeconds: 0 } } });
    const page = await app.open("/login", { javaScriptEnabled: false });
    const phone = newPhone();
    await phoneField(page).fill(phone);
    await sendButton(page).click();
    const wrong = otherThan(await codeFor(sandbox, phone));
    for (const said of [
      "4 attempts left",
      "3 attempts left",
      "2 attempts left",
      "1 attempt left",
      "Request a new code",
    ]) {
      await codeField(page).fill(wrong);
      await logInButton(page).click();
      await alert(page).getByText(said).waitFor();
    }
    await phoneField(page).waitFor();
  });
});

describe("T3: a page that is taken over", () => {
  test("keeps the number that was typed before the script ran, and the focus", async ({ start }) => {
    const app = await start();
    const page = await app.open("/login?late");
    await phoneField(page).pressSequentially("01512 34");
    await page.evaluate("window.before = document.querySelector('[part~=phone]'); before.setSelectionRange(3, 5)");
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.locator("form[novalidate]").waitFor();
    expect(await page.evaluate("document.activeElement === before && document.contains(before)")).toBe(true);
    expect(await phoneField(page).inputValue()).toBe("01512 34");
    expect(await page.evaluate("[before.selectionStart, before.selectionEnd]")).toEqual([3, 5]);
  });

  test("keeps the country that was chosen, and the code that was typed", async ({ start, sandbox }) => {
    const app = await start();
    const page = await app.open("/login?late");
    await page.getByLabel("Country").selectOption("CH");
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.locator("form[novalidate]").waitFor();
    expect(await page.getByLabel("Country").inputValue()).toBe("CH");
    const phone = await askForCode(page);
    await page.goto(`${app.url}/login?late`);
    await codeField(page).fill("123");
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.locator("form[novalidate]").first().waitFor();
    expect(await codeField(page).inputValue()).toBe("123");
    await codeField(page).fill("");
    await codeField(page).pressSequentially(await codeFor(sandbox, phone));
    await logInButton(page).click();
    await page.waitForURL("**/account");
  });

  test("shows the problem of a redirected form, and does not announce it anew", async ({ start }) => {
    const app = await start();
    const page = await app.open("/login?late&problem=phone_invalid");
    await page.evaluate("window.before = document.querySelector('[role=alert]')");
    await page.addScriptTag({ type: "module", url: "/phone-login.js" });
    await page.locator("form[novalidate]").waitFor();
    expect(await page.evaluate("document.querySelector('[role=alert]') === before")).toBe(true);
  });
});

test("T4: labels are bound to their inputs, and an error describes its input and is announced once", async ({
  start,
}) => {
  const app = await start();
  const page = await app.open();
  expect(await page.getByLabel("Country").evaluate((node) => node.tagName)).toBe("SELECT");
  expect(await phoneField(page).getAttribute("aria-invalid")).toBeNull();
  await phoneField(page).fill("12");
  await sendButton(page).click();
  await alert(page).waitFor();
  expect(await alert(page).count()).toBe(1);
  expect(await phoneField(page).getAttribute("aria-invalid")).toBe("true");
  const described = (await phoneField(page).getAttribute("aria-describedby"))?.split(" ") ?? [];
  const texts = await Promise.all(described.map((id) => page.locator(`#${id}`).textContent()));
  expect(texts).toEqual([await alert(page).textContent(), "For example \u206601512 3456789\u2069"]);
  // The same problem again is a new element, so that it is announced again; meanwhile there is none.
  await page.evaluate("window.before = document.querySelector('[role=alert]')");
  await sendButton(page).click();
  const isNew = () => page.evaluate<boolean>("(document.querySelector('[role=alert]') ?? before) !== before");
  await expect.poll(isNew).toBe(true);
  await phoneField(page).fill("");
  await sendButton(page).click();
  await page.evaluate("window.before = document.querySelector('[role=alert]')");
  await sendButton(page).click();
  expect(await isNew()).toBe(true);
  expect(await alert(page).count()).toBe(1);
});

test("T5: a strict content security policy is never met: no inline script, style or event handler", async ({
  start,
  sandbox,
}) => {
  const app = await start();
  const page = await app.open();
  const phone = await askForCode(page);
  const rendered = await page.evaluate("fetch('/login').then((answer) => answer.text())");
  const element = String(rendered).match(/<phone-login[\s\S]*<\/phone-login>/)?.[0] ?? "";
  expect(element).toContain("input code");
  expect(element).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  await fillIn(page, "code", await codeFor(sandbox, phone));
  await page.waitForURL("**/account");
  expect(app.cspReports).toEqual([]);
});

test("T6: country names come from the browser, and nothing else is loaded", async ({ start }) => {
  const app = await start();
  const paths: string[] = [];
  const page = await app.open("/login?lang=de", {
    before: async (opening) => opening.on("request", (request) => paths.push(new URL(request.url()).pathname)),
  });
  await page.locator("form[novalidate]").waitFor();
  expect(await page.getByLabel("Land").locator("option").allTextContents()).toEqual([
    "Deutschland (\u200e+49)",
    "Österreich (\u200e+43)",
    "Schweiz (\u200e+41)",
  ]);
  // A browser without a window shows no icon, and does not load the app's.
  const files = paths.filter((path) => !["/login", "/login/state", "/icon.svg"].includes(path));
  expect([...new Set(files)].sort()).toEqual(["/app.css", "/phone-login.css", "/phone-login.js"]);
});

test("T7: the country is a native select, and is hidden when there is one country", async ({ start }) => {
  const several = await (await start()).open();
  expect(await several.getByLabel("Country").evaluate((node) => node.tagName)).toBe("SELECT");
  const one = await (await start({ login: { countries: ["AT"] } })).open();
  await one.locator("form[novalidate]").waitFor();
  expect(await one.getByLabel("Country").count()).toBe(0);
  expect(await one.getByText(/^For example/).textContent()).toContain("0664 123456");
});

describe("T8: the list has the countries that the server offers", () => {
  test("and when the element asks for them itself", async ({ start }) => {
    const app = await start({ login: { countries: ["CH", "DE"] } });
    const page = await app.open("/login?bare", { before: async (opening) => void opening });
    await phoneField(page).waitFor();
    expect(
      await page.locator("option").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("value"))),
    ).toEqual(["CH", "DE"]);
  });

  test("all of them, by name, for a login that takes every country", async ({ start }) => {
    const page = await (await start({ login: { countries: "any" } })).open("/login?lang=de");
    const names = await page.locator("option").allTextContents();
    expect(names.length).toBeGreaterThan(200);
    expect(names.slice(0, 2)).toEqual(["Afghanistan (\u200e+93)", "Ägypten (\u200e+20)"]);
    expect(await page.getByLabel("Land").inputValue()).toBe("DE");
  });
});
