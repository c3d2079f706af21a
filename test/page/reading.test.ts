import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { sendCode, sendMessage } from "../support/api-requests.ts";
import { createSampleActivity, phones, refusedSend } from "../support/sample-activity.ts";
import { type PageFixtures, test } from "./page-fixtures.ts";
import { misfitsIn, problemsIn, widths } from "./views.ts";

const base = "/applications/default";

test("can be used with the keyboard: search, rows, codes, help", async ({ sandbox, open }) => {
  await sendMessage(sandbox, phones.british, "Hello");
  await sendCode(sandbox, phones.german);
  const page = await open("/", { permissions: ["clipboard-read", "clipboard-write"] });
  const { keyboard } = page;
  await keyboard.press("/");
  expect(await page.getByRole("searchbox").evaluate((field) => field === document.activeElement)).toBe(true);
  await keyboard.press("Escape");
  for (const key of ["j", "j", "k"]) await keyboard.press(key);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(phones.german);
  await keyboard.press("j");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(phones.british);
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: phones.british }).waitFor();
  // The spaces between its groups are only drawn.
  const number = page.locator("h1 .number");
  expect(await number.locator(".digits").allTextContents()).toEqual(["+44", "113", "496", "0004"]);
  await number.evaluate((element) => getSelection()?.selectAllChildren(element));
  await keyboard.press("Control+c");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(phones.british);
  await keyboard.press("Escape");
  await page.getByText("Latest", { exact: true }).waitFor();
  await keyboard.press("c");
  await page.getByText("Copied", { exact: true }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("204816");
  await keyboard.press("3");
  await page.getByRole("heading", { name: "Webhooks" }).waitFor();
  await keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor({ state: "hidden" });
});

test("works without scripts", async ({ sandbox, open }) => {
  await sendCode(sandbox, phones.german);
  await sendMessage(sandbox, phones.british, "Hello");
  const page = await open("/", { javaScriptEnabled: false });
  await page.getByText("Your code is 204816").first().waitFor();
  await page.getByRole("searchbox").fill("204816");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL(/q=204816/);
  expect(await page.locator(".thread-row").count()).toBe(1);
  await page.getByRole("link", { name: "Clock & faults" }).click();
  await page.getByRole("button", { name: "Frozen" }).click();
  await page.getByText("The clock is frozen").waitFor();
  await page.getByRole("link", { name: "Portal" }).click();
  await page.getByRole("link", { name: "Senders & templates" }).click();
  await page.getByRole("textbox", { name: "Sender ID" }).fill("!!");
  await page.getByRole("button", { name: "Register" }).click();
  await page.locator(".notice.problem").waitFor();
});

const tabs = ["", "/endpoints", "/messaging", "/numbers", "/dialect", "/usage", "/account"].map(
  (tab) => `${base}/portal${tab}`,
);

/** Fills every view with content, and returns the path of each. */
async function fill({ sandbox, clock }: Pick<PageFixtures, "sandbox" | "clock">): Promise<readonly string[]> {
  let status = 204;
  sandbox.deliverTo(() => new Response("Out of order", { status: status === 204 ? 200 : status }));
  const answerWith = (next: number) => {
    status = next;
  };
  const lastLogin = await createSampleActivity({ sandbox, clock, answerWith });
  await lastLogin();
  sandbox.account.rentNumber({ phone: phones.french, applicationId: sandbox.id });
  sandbox.faults.add({ on: "POST /verifications", action: { type: "answer", status: 503 }, times: 3 });
  for (let count = 0; count < 3; count++) sandbox.decisions.receive(refusedSend);
  const verification = sandbox.verifications.list().find(({ recipient }) => recipient === phones.germanWhoseSmsFails);
  const delivery = sandbox.deliveries.list().find(({ attempts }) => attempts.length > 1);
  const refused = sandbox.requests.list().find(({ cause }) => cause !== undefined);
  return [
    base,
    `${base}?q=482915`,
    `${base}/inbox/${encodeURIComponent(phones.german)}/SMS`,
    `${base}/verifications`,
    `${base}/verifications/${verification?.id}`,
    `${base}/webhooks`,
    `${base}/webhooks/${delivery?.id}`,
    `${base}/requests`,
    `${base}/requests/${refused?.id}`,
    `${base}/clock`,
    `${base}/limits`,
    ...tabs,
    "/nowhere",
  ];
}

const sections = ["", "/verifications", "/webhooks", "/requests", "/clock", "/limits"].map((section) => base + section);

test("every view of a new sandbox fits in every layout", async ({ sandbox, open }) => {
  const page = await open();
  const paths = [...sections, ...tabs];
  expect(
    await misfitsIn(
      page,
      paths.map((path) => sandbox.url + path),
    ),
  ).toEqual([]);
});

test("every view with content fits in every layout and with text of 200 %, and has no problem that axe finds, dark or light", async ({
  sandbox,
  clock,
  open,
}) => {
  const page = await open();
  const paths = await fill({ sandbox, clock });
  expect(paths.length).toBeGreaterThan(10);
  expect(
    await problemsIn(
      page,
      paths.map((path) => sandbox.url + path),
    ),
  ).toEqual([]);
});

/** Returns how bright the eight points at an edge of a row are. */
async function edgeOf(row: Locator, side: "left" | "right"): Promise<readonly number[]> {
  const image = (await row.screenshot({ animations: "disabled" })).toString("base64");
  return row.evaluate(
    async (_, { image, side }) => {
      const picture = new Image();
      picture.src = `data:image/png;base64,${image}`;
      await picture.decode();
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext("2d");
      context?.drawImage(picture, 0, 0);
      // Above the words of the row.
      const pixels = context?.getImageData(side === "left" ? 0 : picture.width - 8, 1, 8, 1).data ?? [];
      return [...pixels].filter((_value, index) => index % 4 === 0);
    },
    { image, side },
  );
}

test("a row of links that is wider than a phone is shaded at the edge behind which there are more", async ({
  open,
}) => {
  const page = await open(`${base}/portal`);
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    for (const row of [page.locator(".tabs"), page.locator(".sidebar nav ul")]) {
      expect(await row.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
      const isShaded = async (side: "left" | "right") => new Set(await edgeOf(row, side)).size > 1;
      await row.evaluate((element) => element.scrollTo(0, 0));
      expect([await isShaded("left"), await isShaded("right")]).toEqual([false, true]);
      await row.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
      expect([await isShaded("left"), await isShaded("right")]).toEqual([true, false]);
    }
  }
});

test("an empty inbox has its buttons for copying within the window, and in their boxes, in every layout", async ({
  open,
}) => {
  const page = await open();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const boxes = await page.locator(".copy-block").evaluateAll((blocks) =>
      blocks.map((block) => {
        const [outer, inner] = [block, block.querySelector("button")].map((node) => node?.getBoundingClientRect());
        return [outer?.left, inner?.left, inner?.right, outer?.right];
      }),
    );
    expect(boxes).toHaveLength(2);
    for (const box of boxes) {
      const edges = [0, ...box.map(Number), width];
      expect(edges, `at ${width} px`).toEqual(edges.toSorted((left, right) => left - right));
    }
  }
});

test("follows the color scheme of the browser", async ({ sandbox, open }) => {
  await sendCode(sandbox, phones.german);
  const brightness = (page: Page) =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] =
        getComputedStyle(document.documentElement)
          .backgroundColor.match(/[\d.]+/g)
          ?.map(Number) ?? [];
      return (red + green + blue) / 3;
    });
  expect(await brightness(await open("/", { colorScheme: "dark" }))).toBeLessThan(40);
  expect(await brightness(await open("/", { colorScheme: "light" }))).toBeGreaterThan(215);
});
