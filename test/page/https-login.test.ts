import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createApp as createExpressLogin } from "../../examples/express-login/app.ts";
import { createApp as createFastifyLogin } from "../../examples/fastify-login/app.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { findFreePort } from "../support/free-port.ts";

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let sandbox: Sandbox;
let chrome: Browser;
let certificate: { readonly key: string; readonly cert: string };

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  chrome = await chromium.launch({ executablePath: findChromium() ?? "", args: [...chromiumArguments] });
  const { private: key, cert } = await generate([{ name: "commonName", value: "localhost" }]);
  certificate = { key, cert };
});

afterAll(async () => {
  await chrome.close();
  await sandbox.close();
});

const examples = [
  {
    name: "Express",
    phone: "+4915123456201",
    attackersPhone: "+4915123456203",
    create: async (env: NodeJS.ProcessEnv): Promise<RequestListener> => createExpressLogin(env),
  },
  {
    name: "Fastify",
    phone: "+4915123456202",
    attackersPhone: "+4915123456204",
    async create(env: NodeJS.ProcessEnv): Promise<RequestListener> {
      const app = createFastifyLogin(env);
      await app.ready();
      return app.routing;
    },
  },
];

/** Serves an example at an https address, which is its one origin, and at the http address of the same port's neighbour. */
async function serve({
  create,
}: (typeof examples)[number]): Promise<{ readonly url: string; readonly plainUrl: string }> {
  const [port, plainPort] = [await findFreePort(), await findFreePort()];
  const url = `https://localhost:${port}`;
  const listener = await create({ ...sandbox.env, ORIGINS: url });
  await Promise.all([
    listen(createSecureServer({ ...certificate }, listener), port),
    listen(createServer(listener), plainPort),
  ]);
  return { url, plainUrl: `http://localhost:${plainPort}` };
}

async function listen(server: Server, port: number): Promise<void> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
}

async function openContext(): Promise<BrowserContext> {
  const context = await chrome.newContext({ ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  return context;
}

describe.each(examples)("a login over https in Chromium, on $name", (example) => {
  test("keeps its cookies, which have the prefix __Host- and the attribute Secure, and logs in and out", async () => {
    const { url } = await serve(example);
    const context = await openContext();
    const page = await context.newPage();
    await page.goto(`${url}/account`);
    await page.getByLabel("Phone number").fill(example.phone);
    await page.getByRole("button", { name: "Send code" }).click();
    await page.getByLabel("Code").waitFor();
    const underWay = await context.cookies();
    const { code = "" } = await sandbox.inbox.wait({ to: example.phone });
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText(example.phone).waitFor();
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

  test("L22: a cookie that another address of the host has planted is not read", async () => {
    const { url, plainUrl } = await serve(example);
    const attacker = await openContext();
    const attackersPage = await attacker.newPage();
    await attackersPage.goto(`${url}/login`);
    await attackersPage.getByLabel("Phone number").fill(example.attackersPhone);
    await attackersPage.getByRole("button", { name: "Send code" }).click();
    await attackersPage.getByLabel("Code").waitFor();
    const [{ value = "" } = {}] = await attacker.cookies();

    const victim = await openContext();
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
});
