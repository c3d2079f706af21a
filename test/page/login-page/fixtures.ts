import { setTimeout as pause } from "node:timers/promises";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, type TestAPI } from "vitest";
import { type BrowserFixtures, test as base, watch } from "../browser-test.ts";
import { type PageApp, type PageAppOptions, startPageApp } from "./page-app.ts";

/** Starts an app with the login page. It ends with the test. */
export type StartApp = (options?: Omit<PageAppOptions, "sandbox">) => Promise<OpenApp>;

/** An app, and the browser that opens its pages. */
export interface OpenApp extends PageApp {
  /** Opens a page in a browser context of its own, unless one is given. */
  open(path?: string, options?: OpenOptions): Promise<Page>;
}

/** How a page is opened. */
export interface OpenOptions extends BrowserContextOptions {
  /** The context of another page, to which this one is a second tab. */
  readonly besides?: Page;
  /** Runs before the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>;
}

/** The fixtures of {@link test}. */
export interface LoginPageFixtures extends BrowserFixtures {
  readonly sandbox: Sandbox;
  readonly start: StartApp;
  readonly $__file?: Pick<LoginPageFixtures, "sandbox">;
  readonly $__test?: Pick<LoginPageFixtures, "start">;
}

/**
 * The `test` of vitest with real apps, the sandbox and a real browser. A test fails when a page has sent a request to
 * another server, has thrown, or has met the content security policy.
 */
export const test: TestAPI<LoginPageFixtures> = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are needed.
  .extend("sandbox", { scope: "file" }, async ({}, { onCleanup }) => {
    const sandbox = await createSandbox({ port: 0 });
    onCleanup(() => sandbox.close());
    return sandbox;
  })
  .extend("start", ({ browser, sandbox }, { onCleanup }) => {
    const contexts = new Set<BrowserContext>();
    const apps: PageApp[] = [];
    const problems: string[] = [];
    onCleanup(async () => {
      for (const context of contexts) await atMost(context.close());
      for (const app of apps) await app.close();
      expect([...problems, ...apps.flatMap(({ cspReports }) => cspReports)]).toEqual([]);
    });
    return async (options = {}) => {
      const app = await startPageApp({ sandbox, ...options });
      apps.push(app);
      const open = async (path = "/login", { besides, before, ...contextOptions }: OpenOptions = {}) => {
        // Drawing what turns, sixty times a second, costs a fifth of all that the browser does in these tests.
        const context =
          besides?.context() ?? (await browser.newContext({ reducedMotion: "reduce", ...contextOptions }));
        contexts.add(context);
        const page = await context.newPage();
        watch(page, app.url, problems, isExpected);
        await before?.(page);
        await page.goto(app.url + path);
        return page;
      };
      return { ...app, open };
    };
  });

const closeMilliseconds = 10_000;

/**
 * Waits for a context to close, but not for ever. Chromium sometimes never answers to the end of a context with two
 * tabs, and one run waited for that until it was stopped. What is left ends with the process.
 */
async function atMost(closing: Promise<void>): Promise<void> {
  await Promise.race([closing, pause(closeMilliseconds, undefined, { ref: false })]);
}

/** The browser says of each refusal that a resource did not load, and of a field that a test was in it before the autofocus. */
const isExpected = (line: string) => /Failed to load resource|Autofocus processing was blocked/.test(line);

let numbers = 200;

/** Returns a German mobile number that no other test has. */
export function newPhone(): string {
  numbers += 1;
  return `+4915123456${numbers}`;
}

/** The parts of the page, as a person finds them. */
export const phoneField = (page: Page) => page.getByLabel("Phone number");
export const codeField = (page: Page) => page.getByLabel("Code", { exact: true });
export const sendButton = (page: Page) => page.getByRole("button", { name: "Send code" });
export const logInButton = (page: Page) => page.getByRole("button", { name: "Log in" });
export const alert = (page: Page) => page.getByRole("alert");
export const help = (page: Page) => page.getByText("No code?");

/** Asks for a code, and waits for the step that takes it. */
export async function askForCode(page: Page, phone: string = newPhone()): Promise<string> {
  await phoneField(page).fill(phone);
  await sendButton(page).click();
  await codeField(page).waitFor();
  return phone;
}

/** Waits until the page has learned of the delivery: the server has nothing more to tell it, whose clock a test moves. */
export async function untilDelivered(page: Page): Promise<void> {
  await page.locator("[part~=delivery]").getByText("delivered").waitFor();
}

/** Returns the newest code that a number has got. */
export async function codeFor(sandbox: Sandbox, phone: string): Promise<string> {
  return (await sandbox.inbox.wait({ to: phone })).code ?? "";
}

/** Returns a code that is wrong. */
export function otherThan(code: string): string {
  return code === "111111" ? "222222" : "111111";
}

/** Sets a field's value as autofill does: without keys, and with the events that are named. */
export async function fillIn(
  page: Page,
  part: string,
  value: string,
  events: readonly string[] = ["input"],
): Promise<void> {
  const fill = `(([part, value, events]) => {
    const field = document.querySelector('[part~="' + part + '"]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, value);
    for (const type of events) field.dispatchEvent(new Event(type, { bubbles: true }));
  })`;
  await page.evaluate(`${fill}(${JSON.stringify([part, value, events])})`);
}

/** Pastes a text into a field. */
export async function paste(page: Page, part: string, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.locator(`[part~="${part}"]`).focus();
  await page.keyboard.press("ControlOrMeta+V");
}

/** Counts the requests of a page to a path. */
export function countRequests(page: Page, path: string): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === path) count += 1;
  });
  return () => count;
}
