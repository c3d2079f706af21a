import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, type RunnerTestCase, type TestAPI } from "vitest";
import { sampleOptions } from "../support/sample-activity.ts";
import { type BrowserFixtures, test as base, watch } from "./browser-test.ts";

/** The folder for the screenshots of tests that failed: one of each page that the test had opened. */
const screenshots = "test-results/page";

/** Opens the page of the sandbox in a new browser context, and waits until it is live, if scripts are enabled. */
export type Open = (path?: string, options?: BrowserContextOptions) => Promise<Page>;

/** The fixtures of {@link test}. */
export interface PageFixtures extends BrowserFixtures {
  /** A clock that moves only when the test moves it. */
  readonly clock: ManualClock;
  readonly sandbox: Sandbox;
  readonly open: Open;
  readonly $__test?: Pick<PageFixtures, "clock" | "sandbox" | "open">;
}

/**
 * The `test` of vitest with a real sandbox and a real browser. A test fails when a page has sent a request to another server
 * or written to the console. A test that fails leaves a screenshot of every opened page.
 */
export const test: TestAPI<PageFixtures> = base
  .extend("clock", () => createManualClock())
  .extend("sandbox", async ({ clock }, { onCleanup }) => {
    const sandbox = await createSandbox({ ...sampleOptions, port: 0, clock });
    onCleanup(() => sandbox.close());
    return sandbox;
  })
  .extend("open", ({ browser, sandbox, task }, { onCleanup }) => {
    const opened: Page[] = [];
    const problems: string[] = [];
    onCleanup(async () => {
      await finish(opened, task);
      expect(problems).toEqual([]);
    });
    return async (path = "/", options: BrowserContextOptions = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      opened.push(page);
      // The page for an address at which there is nothing is a 404.
      watch(page, sandbox.url, problems, (line) => line.includes("status of 404"));
      await page.goto(sandbox.url + path);
      if (options.javaScriptEnabled !== false) await live(page);
      return page;
    };
  });

/** Waits until the page receives updates. */
export async function live(page: Page): Promise<void> {
  await page.locator("#live[data-state=live]").waitFor();
}

/** Closes the pages of a test. It takes a screenshot of each when the test has failed. */
async function finish(opened: readonly Page[], { name, result }: RunnerTestCase): Promise<void> {
  for (const [index, page] of opened.entries()) {
    const number = opened.length > 1 ? `-${index + 1}` : "";
    const path = `${screenshots}/${slugOf(name)}${number}.png`;
    if (result?.state === "fail") await page.screenshot({ path, animations: "disabled" });
    await page.context().close();
  }
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
