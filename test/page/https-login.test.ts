import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import type { Browser, BrowserContext } from "playwright-core";
import { generate } from "selfsigned";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { createApp } from "../../examples/express-login/app.ts";
import { findFreePort } from "../support/free-port.ts";
import { test } from "./browser-test.ts";

let sandbox: Sandbox;
let certificate: { readonly key: string; readonly cert: string };

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }]);
  certificate = { key, cert };
});

afterAll(() => sandbox.close());

/** Serves the example at an https address, which is its one origin, and at the http address of the same port's neighbour. */
async function serve(): Promise<{ readonly url: string; readonly plainUrl: string }> {
  const [port, plainPort] = [await findFreePort(), await findFreePort()];
  const url = `https://localhost:${port}`;
  const app = createApp({ ...sandbox.env, ORIGINS: url });
  await Promise.all([listen(createSecureServer(certificate, app), port), listen(createServer(app), plainPort)]);
  return { url, plainUrl: `http://localhost:${plainPort}` };
}

async function listen(server: Server, port: number): Promise<void> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  return context;
}

test("a login over https keeps its cookies, which have the prefix __Host- and the attribute Secure, and logs in and out", async ({
  browser,
}) => {
  const phone = "+4915123456201";
  const { url } = await serve();
  const context = await openContext(browser);
  const page = await context.newPage();
  await page.goto(`${url}/account`);
  await page.getByLabel("Phone number").fill(phone);
  await page.getByRole("button", { name: "Send code" }).click();
  await page.getByLabel("Code").waitFor();
  const underWay = await context.cookies();
  const { code = "" } = await sandbox.inbox.wait({ to: phone });
  await page.getByLabel("Code").fill(code);
  await page.getByText(phone).waitFor();
  const loggedIn = await context.cookies();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Phone number").waitFor();

  const attributes = { secure: true, httpOnly: true, sameSite: "Lax", path: "/", domain: "localhost" };
  expect(underWay).toEqual([expect.objectContaining({ name: "__Host-doorcode-transaction", ...attributes })]);
  const device = expect.objectContaining({ name: "__Host-doorcode-device", ...attributes });
  const session = expect.objectContaining({ name: "__Host-doorcode-session", ...attributes });
  expect(loggedIn.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([device, session]);
  expect(await context.cookies()).toEqual([device]);
});

test("L22: a cookie that another address of the host has planted is not read", async ({ browser }) => {
  const { url, plainUrl } = await serve();
  const attacker = await openContext(browser);
  const attackersPage = await attacker.newPage();
  await attackersPage.goto(`${url}/login`);
  await attackersPage.getByLabel("Phone number").fill("+4915123456203");
  await attackersPage.getByRole("button", { name: "Send code" }).click();
  await attackersPage.getByLabel("Code").waitFor();
  const [{ value = "" } = {}] = await attacker.cookies();

  const victim = await openContext(browser);
  const page = await victim.newPage();
  await page.goto(`${plainUrl}/login`);
  await page.evaluate((id) => {
    // biome-ignore lint/suspicious/noDocumentCookie: an attacker on a plain address plants it like this.
    document.cookie = `doorcode-transaction=${id}; path=/`;
    // biome-ignore lint/suspicious/noDocumentCookie: the browser refuses this name without https.
    document.cookie = `__Host-doorcode-transaction=${id}; path=/`;
  }, value);
  // A page's own cookies reach the rest of the browser a moment later.
  const planted = async () => (await victim.cookies()).map(({ name }) => name);
  await expect.poll(planted).toEqual(["doorcode-transaction"]);
  await page.goto(`${url}/login`);

  expect(await page.getByLabel("Phone number").isVisible()).toBe(true);
});
