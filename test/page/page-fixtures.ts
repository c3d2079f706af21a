import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { test as base, expect, type RunnerTestCase, type TestAPI, vi } from "vitest";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { sampleOptions } from "../support/sample-activity.ts";

/** The folder for the screenshots of tests that failed: one of each page that the test had opened. */
const screenshots = "test-results/page";
const waitMilliseconds = 30_000;

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** Opens the page of the sandbox in a new browser context, and waits until it is live, if scripts are enabled. */
export type Open = (path?: string, options?: BrowserContextOptions) => Promise<Page>;

/** The fixtures of {@link test}. */
export interface PageFixtures {
  /** One for each file. */
  readonly browser: Browser;
  /** A clock that moves only when the test moves it. */
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly open: Open;
  readonly $__worker?: object;
  readonly $__file?: Pick<PageFixtures, "browser">;
  readonly $__test?: Omit<PageFixtures, "browser" | `$__${string}`>;
}

/**
 * The `test` of vitest with a real sandbox and a real browser. A test fails when a page has sent a request to another server
 * or written to the console. A test that fails leaves a screenshot of every opened page.
 */
export const test: TestAPI<PageFixtures> = base
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
    onCleanup(() => finish(opened, task));
    return async (path = "/", options: BrowserContextOptions = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const watched = watch(await context.newPage(), sandbox.url);
      opened.push(watched);
      await watched.page.goto(sandbox.url + path);
      if (options.javaScriptEnabled !== false) await live(watched.page);
      return watched.page;
    };
  });

/** Waits until the page receives updates. */
export async function live(page: Page): Promise<void> {
  await page.locator("#live[data-state=live]").waitFor();
}

interface Watched {
  readonly page: Page;
  /** Requests to other servers, and output on the console. */
  readonly problems: string[];
}

function watch(page: Page, url: string): Watched {
  const problems: string[] = [];
  page.setDefaultTimeout(waitMilliseconds);
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && protocol !== "data:") problems.push(`asked ${request.url()}`);
  });
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  return { page, problems };
}

async function finish(opened: readonly Watched[], { name, result }: RunnerTestCase): Promise<void> {
  for (const [index, { page }] of opened.entries()) {
    const number = opened.length > 1 ? `-${index + 1}` : "";
    const path = `${screenshots}/${slugOf(name)}${number}.png`;
    if (result?.state === "fail") await page.screenshot({ path, animations: "disabled" });
    await page.context().close();
  }
  expect(opened.flatMap(({ problems }) => problems)).toEqual([]);
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
