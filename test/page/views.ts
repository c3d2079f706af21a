import type { CDPSession, Page } from "playwright-core";
import { loadAxe, violationsIn } from "../support/axe.ts";
import { cutButtonsOf, misfitsOf, smallTextsOf } from "../support/misfits.ts";
import { live } from "./page-fixtures.ts";

/** The narrowest windows of each layout of the sandbox's page and of the operators': a phone, from 48 rem on, and from 64 rem on. */
export const widths: readonly number[] = [320, 769, 1025];

const looks = [
  ["dark", 360],
  ["light", 1280],
] as const;

/** Opens each view, and returns what does not fit in it, or is too small to read, in any layout. */
export function misfitsIn(page: Page, urls: readonly string[]): Promise<readonly string[]> {
  return visit(page, urls, () => misfitsInLayouts(page));
}

/** The same, and what does not fit with text of 200 % on a phone, and what axe finds, dark on a phone and light on a screen. */
export async function problemsIn(page: Page, urls: readonly string[]): Promise<readonly string[]> {
  await loadAxe(page);
  const devtools = await page.context().newCDPSession(page);
  return visit(page, urls, async () => [
    ...(await misfitsInLayouts(page)),
    ...(await misfitsOfLargeText(page, devtools)),
    ...(await violationsInLooks(page)),
  ]);
}

async function visit(page: Page, urls: readonly string[], look: () => Promise<readonly string[]>) {
  const found: string[] = [];
  for (const url of urls) {
    await page.goto(url);
    await live(page);
    found.push(...(await look()).map((problem) => `${url} ${problem}`));
  }
  return found;
}

async function misfitsInLayouts(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const misfits = [...(await misfitsOf(page)), ...(await smallTextsOf(page))];
    found.push(...misfits.map((misfit) => `at ${width} px: ${misfit}`));
  }
  return found;
}

/** Doubles the font size of the browser: that of the root, and that of media queries. A desktop has the layout of a phone then, and more room. */
async function misfitsOfLargeText(page: Page, devtools: CDPSession): Promise<readonly string[]> {
  const fontSize = () => page.evaluate<number>("parseFloat(getComputedStyle(document.documentElement).fontSize)");
  const usual = await fontSize();
  await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  if ((await fontSize()) !== 2 * usual) throw new Error("The text of this browser has not grown.");
  await page.setViewportSize({ width: 390, height: 800 });
  const misfits = [...(await misfitsOf(page)), ...(await cutButtonsOf(page))];
  await devtools.send("Page.setFontSizes", { fontSizes: { standard: 16, fixed: 13 } });
  return misfits.map((misfit) => `with text of 200 %: ${misfit}`);
}

async function violationsInLooks(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    found.push(...(await violationsIn(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
