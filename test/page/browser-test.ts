import { type Browser, chromium, type Page } from "playwright-core";
import { test as base, type TestAPI } from "vitest";
import { chromiumArguments, findChromium } from "../support/chromium.ts";

/** The fixture of {@link test}. */
export interface BrowserFixtures {
  /** One for all files that a process of the tests runs. */
  readonly browser: Browser;
  readonly $__worker?: Pick<BrowserFixtures, "browser">;
}

/** The browser of this process. Vitest would start another one for each `test` that extends the one below. */
let launched: Promise<Browser> | undefined;

/** The `test` of vitest with a real browser. */
export const test: TestAPI<BrowserFixtures> = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend("browser", { scope: "worker" }, async ({}, { onCleanup }) => {
    launched ??= chromium.launch({ executablePath: findChromium() ?? "", args: [...chromiumArguments] });
    const browser = await launched;
    onCleanup(() => browser.close());
    return browser;
  });

/**
 * Notes what a page must not do: send a request to another server, throw, or write to the console.
 *
 * @param isExpected - tells which lines on the console are no problem.
 */
export function watch(
  page: Page,
  url: string,
  problems: string[],
  isExpected: (line: string) => boolean = () => false,
): void {
  page.setDefaultTimeout(30_000);
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== "data:") problems.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => {
    if (!isExpected(message.text())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
}
