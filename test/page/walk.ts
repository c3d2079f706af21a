import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { test as base, expect, type TestAPI, vi } from "vitest";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { sampleOptions } from "../support/sample-activity.ts";

/** Where every test leaves a picture of each page that it opened. */
const pictures = "test-results/page";
const waitMilliseconds = 10_000;

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Opens the page of the sandbox in a browser of its own, and waits until it follows along, when it has scripts. */
export type Open = (path?: string, options?: BrowserContextOptions) => Promise<Page>;

/** What {@link test} gives to a test. */
export interface Walk {
  /** One a file. */
  readonly browser: Browser;
  /** Stands still until the test moves it. */
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly open: Open;
  readonly $__worker?: object;
  readonly $__file?: Pick<Walk, "browser">;
  readonly $__test?: Omit<Walk, "browser" | `$__${string}`>;
}

/**
 * The `test` of vitest with a real sandbox and a real browser. When a test is over, every page that it opened has asked the
 * sandbox alone, has left the console empty, and has left a picture.
 */
export const test: TestAPI<Walk> = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend("browser", { scope: "file" }, async ({}, { onCleanup }) => {
    const browser = await chromium.launch({ executablePath: findChromium() ?? "", args: [...chromiumArguments] });
    onCleanup(() => browser.close());
    return browser;
  })
  .extend("clock", () => createManualClock())
  .extend("sandbox", async ({ clock }, { onCleanup }) => {
    const sandbox = await createSandbox({ ...sampleOptions, port: 0, clock });
    onCleanup(() => sandbox.close());
    return sandbox;
  })
  .extend("open", ({ browser, sandbox, task }, { onCleanup }) => {
    const opened: Watched[] = [];
    onCleanup(() => finish(opened, slugOf(task.name)));
    return async (path = "/", options: BrowserContextOptions = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const watched = watch(await context.newPage(), sandbox.url);
      opened.push(watched);
      await watched.page.goto(sandbox.url + path);
      if (options.javaScriptEnabled !== false) await live(watched.page);
      return watched.page;
    };
  });

/** Waits until news come by themselves. */
export async function live(page: Page): Promise<void> {
  await page.locator("#live[data-state=live]").waitFor();
}

interface Watched {
  readonly page: Page;
  /** Requests that left the sandbox, and whatever the console said. */
  readonly complaints: string[];
}

function watch(page: Page, url: string): Watched {
  const complaints: string[] = [];
  page.setDefaultTimeout(waitMilliseconds);
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== "data:") complaints.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  return { page, complaints };
}

async function finish(opened: readonly Watched[], name: string): Promise<void> {
  for (const [index, { page }] of opened.entries()) {
    const number = opened.length > 1 ? `-${index + 1}` : "";
    await page.screenshot({ path: `${pictures}/${name}${number}.png`, animations: "disabled" });
    await page.context().close();
  }
  expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
