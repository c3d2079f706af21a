import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { languages } from "../../../packages/browser/src/strings/languages.ts";
import { violationsIn } from "../../support/axe.ts";
import { misfitsOf } from "../../support/misfits.ts";
import {
  alert,
  askForCode,
  codeField,
  codeFor,
  help,
  logInButton,
  newPhone,
  otherThan,
  phoneField,
  sendButton,
  test,
} from "./fixtures.ts";

/** Leads a page through its states, and calls a function in each. */
async function visitStates(
  page: Page,
  code: (phone: string) => Promise<string>,
  look: (state: string) => Promise<void>,
) {
  await page.locator("form[novalidate]").waitFor();
  await look("phone");
  await phoneField(page).fill("12");
  await sendButton(page).click();
  await alert(page).waitFor();
  await look("phone in error");
  const phone = await askForCode(page, newPhone());
  await look("code");
  await help(page).click();
  await page.locator("[part~=delivery]").getByText("delivered").waitFor();
  await look("help");
  const right = await code(phone);
  await codeField(page).pressSequentially(otherThan(right));
  await logInButton(page).click();
  await alert(page).waitFor();
  await look("code in error");
  await page.getByRole("button", { name: "Change number" }).click();
  await look("change of the number");
  await page.getByRole("button", { name: "Back" }).click();
  await page.evaluate("addEventListener('phone-login:confirmed', (event) => event.preventDefault())");
  await codeField(page).pressSequentially(right);
  await logInButton(page).click();
  await page.getByText("You are logged in.").waitFor();
  await look("done");
}

/** Returns the elements that reach beyond the window, and the targets that are too small. */
const misfits = `(() => {
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page is wider than its window"] : [];
  const targets = [...document.querySelectorAll("phone-login :is(button, input:not([type=hidden]), select, summary)")];
  const small = targets.filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 24);
  const outside = [...document.querySelectorAll("phone-login *")].filter(
    (node) => node.checkVisibility() && !node.closest("[part=announcement]") && node.getBoundingClientRect().right > innerWidth + 1,
  );
  const inputs = [...document.querySelectorAll("phone-login :is(input:not([type=hidden]), select)")];
  const tiny = inputs.filter((node) => parseFloat(getComputedStyle(node).fontSize) < 16);
  const name = (what) => (node) => what + ": " + node.outerHTML.slice(0, 80);
  return [...wide, ...small.map(name("small")), ...outside.map(name("outside")), ...tiny.map(name("tiny"))];
})()`;

/** Returns the sizes of six digits in the code's field, and of the room for them. */
const measured = `(() => {
  const field = document.querySelector("[part~=code]");
  const { font, letterSpacing, fontVariantNumeric, paddingLeft, paddingRight, fontSize } = getComputedStyle(field);
  const digits = Object.assign(document.createElement("span"), { textContent: "888888" });
  Object.assign(digits.style, { font, letterSpacing, fontVariantNumeric, position: "absolute" });
  document.body.append(digits);
  // The digits of some fonts are as wide as 0.64 em.
  const widest = 6 * (0.64 * parseFloat(fontSize) + (parseFloat(letterSpacing) || 0));
  const width = Math.max(digits.getBoundingClientRect().width, widest);
  digits.remove();
  return { width, room: field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), fontSize: parseFloat(fontSize) };
})()`;

const textSizes = ["100%", "200%"];
const media = {
  light: { colorScheme: "light", forcedColors: "none" },
  dark: { colorScheme: "dark", forcedColors: "none" },
  "with forced colours": { colorScheme: "light", forcedColors: "active" },
} as const;

test("T38: every state fits at every width, shows all six digits of a code, and has no problem that axe finds in any look", async ({
  start,
  sandbox,
}) => {
  // A script and a style of the test itself, which the policy of the page would not take.
  const page = await (await start()).open("/login", { bypassCSP: true });

  async function lookFor(state: string): Promise<void> {
    for (const size of textSizes) {
      await page.evaluate(`document.documentElement.style.fontSize = "${size}"`);
      // 640 and 320 px are what a zoom of 200 and 400 % leaves of a screen of 1280 px.
      for (const width of [320, 640, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const at = `${state} at ${width} px, with texts of ${size}`;
        // The targets have 24 px and the inputs 16 px.
        expect.soft([...(await misfitsOf(page)), ...(await page.evaluate<string[]>(misfits))], at).toEqual([]);
        if (state !== "code") continue;
        const { width: digits, room, fontSize } = (await page.evaluate(measured)) as Record<string, number>;
        expect.soft(Number(digits), at).toBeLessThanOrEqual(Number(room));
        expect.soft(Number(fontSize), at).toBeGreaterThanOrEqual(size === "200%" ? 32 : 20);
      }
    }
    await page.evaluate(`document.documentElement.style.fontSize = ""`);
    await page.setViewportSize({ width: 320, height: 640 });
    for (const [look, options] of Object.entries(media)) {
      await page.emulateMedia(options);
      expect.soft(await violationsIn(page), `${state}, ${look}`).toEqual([]);
    }
    await page.emulateMedia(media.light);
  }

  await visitStates(page, (phone) => codeFor(sandbox, phone), lookFor);
});

test("T38: the words of every language fit on a phone of 320 px, also right to left, and axe finds no problem", async ({
  start,
}) => {
  const app = await start({
    login: { countries: ["US", "DE"] },
    render: { consent: { terms: "/terms", privacy: "/privacy" } },
  });
  const page = await app.open("/login", { bypassCSP: true, viewport: { width: 320, height: 640 } });
  async function visitLanguages(step: string) {
    for (const [language, words] of Object.entries(languages)) {
      await page.goto(`${app.url}/login?lang=${language}`);
      const summary = page.getByText(words.noCode);
      if (await summary.isVisible()) await summary.click();
      expect.soft(await page.evaluate(misfits), `${step}, ${language}`).toEqual([]);
      await page.evaluate('document.documentElement.dir = "rtl"');
      expect.soft(await page.evaluate(misfits), `${step}, ${language}, right to left`).toEqual([]);
    }
    expect.soft(await violationsIn(page), step).toEqual([]);
  }

  await visitLanguages("phone");
  await page.goto(`${app.url}/login`);
  await phoneField(page).fill(newPhone());
  await sendButton(page).click();
  await codeField(page).waitFor();
  await visitLanguages("code");
});

test("axe finds no problem in a page as the server has rendered it", async ({ start }) => {
  const app = await start();
  const page = await app.open("/login?late&problem=phone_invalid", { bypassCSP: true });
  expect(await violationsIn(page)).toEqual([]);
  await phoneField(page).fill(newPhone());
  await sendButton(page).click();
  await page.goto(`${app.url}/login?late&problem=code_rejected`);
  await help(page).click();
  expect(await violationsIn(page)).toEqual([]);
});

test("T38: the look follows the page: dark where it is dark, and light where it has only light", async ({ start }) => {
  const app = await start();
  const colors = async (page: Page) =>
    page
      .locator("[part~=phone]")
      .evaluate((node) => [getComputedStyle(node).backgroundColor, getComputedStyle(node).color]);
  const [light, dark] = [
    await app.open("/login", { colorScheme: "light" }),
    await app.open("/login", { colorScheme: "dark" }),
  ];
  expect(await colors(light)).toEqual(["rgb(255, 255, 255)", "rgb(22, 24, 29)"]);
  expect(await colors(dark)).toEqual(["rgb(27, 29, 35)", "rgb(242, 243, 245)"]);
  const onlyLight = await app.open("/login?scheme=light", { colorScheme: "dark" });
  expect(await colors(onlyLight)).toEqual(["rgb(255, 255, 255)", "rgb(22, 24, 29)"]);
});

test("T38: nothing moves for people who want no motion", async ({ start }) => {
  const page = await (await start()).open("/login", { reducedMotion: "reduce" });
  expect(await sendButton(page).evaluate((node) => getComputedStyle(node).transitionDuration)).toBe("0s");
});

test("a custom property changes the look", async ({ start }) => {
  const page = await (await start()).open();
  await page.evaluate("document.documentElement.style.setProperty('--phone-login-accent', 'rgb(1, 2, 3)')");
  const color = () => sendButton(page).evaluate((node) => getComputedStyle(node).backgroundColor);
  await expect.poll(color).toBe("rgb(1, 2, 3)");
});

test("a whole login works with the keyboard only", async ({ start, sandbox }) => {
  const page = await (await start()).open();
  await page.locator("form[novalidate]").waitFor();
  const phone = newPhone();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type(phone);
  await page.keyboard.press("Enter");
  await codeField(page).waitFor();
  const focused = () => page.evaluate("document.activeElement.getAttribute('part')");
  const order: unknown[] = [await focused()];
  await page.keyboard.press("Tab");
  order.push(await focused());
  await page.keyboard.press("Tab");
  order.push(await focused());
  await page.keyboard.press("Enter");
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  expect(order).toEqual([
    "input code slots-6",
    "button confirm",
    "summary",
    "quiet change",
    "quiet resend",
    "quiet resend",
  ]);
  const outlined = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  expect(outlined).toBe("solid");
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Shift+Tab");
  await page.keyboard.type(await codeFor(sandbox, phone));
  await page.keyboard.press("Enter");
  await page.waitForURL("**/account");
});

describe("a bundler that writes light-dark() as the two properties of Lightning CSS", () => {
  test.for([
    ["light, for a page that declares no color-scheme", "", "rgb(59, 69, 214)"],
    [
      "dark, as the page's own sheet says",
      ":root { --lightningcss-light: ; --lightningcss-dark: initial }",
      "rgb(165, 177, 255)",
    ],
  ] as const)("leaves the colors %s", async ([, ownSheet, color], { start }) => {
    const app = await start();
    const page = await app.open("/login", {
      before: (opening) =>
        opening.route("**/phone-login.css", async (route) => {
          const written = (await (await route.fetch()).text()).replace(
            /light-dark\((#\w+),\s*(#\w+)\)/g,
            "var(--lightningcss-light, $1) var(--lightningcss-dark, $2)",
          );
          await route.fulfill({ body: ownSheet + written, contentType: "text/css" });
        }),
    });
    const shown = await page.evaluate("getComputedStyle(document.querySelector('[part~=send]')).backgroundColor");
    expect(shown).toBe(color);
  });
});
