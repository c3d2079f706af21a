import { createServer } from "node:http";
import { createMemoryStore } from "@doorcode/core";
import { requireLogin } from "@doorcode/express";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { createApp } from "../../examples/passkeys/app.ts";
import { createKit } from "../../examples/passkeys/kit.ts";
import { violationsIn } from "../support/axe.ts";
import { findFreePort } from "../support/free-port.ts";
import { listen } from "../support/listen.ts";
import { test, watch } from "./browser-test.ts";

/** The browser says of each refusal that a resource did not load. */
const isExpected = (line: string) => line.includes("Failed to load resource");

/** Starts the example beside a sandbox, with a route for each proof. */
async function startApp() {
  const sandbox = await createSandbox({ port: 0 });
  const port = await findFreePort();
  const { clock } = sandbox;
  const options = { store: createMemoryStore({ clock }), databaseFile: ":memory:", clock };
  const kit = createKit({ ...sandbox.env, PORT: String(port) }, options);
  const app = createApp(kit);
  for (const by of ["phone", "passkey"] as const) {
    const guard = requireLogin(kit.doorcode, { provenWithinSeconds: 300, by: [by] });
    app.get(`/by-${by}`, guard, (_req, res) => void res.json({}));
  }
  const server = await listen(createServer(app), port);
  onTestFinished(async () => {
    await kit.doorcode.close();
    await server.close();
    await sandbox.close();
  });
  // Browsers have passkeys for domains, and not for addresses.
  return { sandbox, url: `http://localhost:${port}` };
}

/** A page, and the authenticator of its device. */
interface Device {
  readonly page: Page;
  /** Whether the person answers what the device asks. */
  answers(isThere: boolean): Promise<void>;
}

/** Opens a browser on a device with an authenticator that checks its owner, as phones have it. */
async function openDevice(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Device> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  watch(page, url, problems, isExpected);
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  return {
    page,
    async answers(enabled) {
      await devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
  };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function enterCode(page: Page, sandbox: Sandbox, phone: string, submit: string): Promise<void> {
  await button(page, "Send code").click();
  const field = page.getByLabel("Code", { exact: true });
  await field.waitFor();
  const { code } = await sandbox.inbox.wait({ to: phone });
  await field.pressSequentially(code ?? "");
  await button(page, submit).click();
}

/** Logs in by a code, and creates a passkey. */
async function createPasskey(page: Page, sandbox: Sandbox, url: string, phone: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel("Phone number").fill(phone);
  await enterCode(page, sandbox, phone, "Log in");
  await page.getByText("Next time without a text").waitFor();
  await button(page, "Create a passkey").click();
  await page.getByText("Your passkeys").waitFor();
}

test("a person logs in by a code once, and next time without a text, from the suggestions of the field", async ({
  browser,
}) => {
  const { sandbox, url } = await startApp();
  const phone = "+4915123456141";
  const viewport = { width: 390, height: 844 };
  const { page, answers } = await openDevice(browser, url, { viewport, isMobile: true, hasTouch: true });
  await createPasskey(page, sandbox, url, phone);
  await answers(false);
  await button(page, "Log out").click();
  await page.goto(`${url}/login?next=/by-passkey`);
  await button(page, "Log in with a passkey").waitFor();
  await answers(true);
  await page.goto(`${url}/login?next=/by-passkey`);
  await page.waitForURL(`${url}/by-passkey`);

  expect(await page.textContent("body")).toBe("{}");
  expect((await page.request.get(`${url}/by-phone`)).status()).toBe(403);
  expect(sandbox.inbox.list({ to: phone })).toHaveLength(1);
});

test("a browser without such suggestions has the button, which leads to no other site", async ({ browser }) => {
  const { sandbox, url } = await startApp();
  const phone = "+4915123456142";
  const { page } = await openDevice(browser, url);
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
  await createPasskey(page, sandbox, url, phone);
  await button(page, "Log out").click();
  await page.goto(`${url}/login?next=${encodeURIComponent("//evil.example/")}`);
  await button(page, "Log in with a passkey").click();
  await page.getByText(`You are logged in as ${phone}`).waitFor();

  expect((await page.request.get(`${url}/by-passkey`)).status()).toBe(200);
  expect(sandbox.inbox.list({ to: phone })).toHaveLength(1);
});

test("the step-up takes either proof, and a guard tells them apart", async ({ browser }) => {
  const { sandbox, url } = await startApp();
  const phone = "+4915123456143";
  const { page } = await openDevice(browser, url);
  const statuses = async () => [
    (await page.request.get(`${url}/by-phone`)).status(),
    (await page.request.get(`${url}/by-passkey`)).status(),
  ];
  await createPasskey(page, sandbox, url, phone);
  const afterCode = await statuses();
  await page.goto(`${url}/passkeys`);
  await sandbox.clock.advance("16m");
  const late = await statuses();
  await button(page, "Create a passkey").click();
  await page.waitForURL(`${url}/step-up?next=/passkeys`);
  await button(page, "Send code").waitFor();
  await button(page, "Confirm with a passkey").click();
  await page.waitForURL(`${url}/passkeys`);
  const afterPasskey = await statuses();
  await sandbox.clock.advance("16m");
  await page.goto(`${url}/passkeys`);
  await enterCode(page, sandbox, phone, "Confirm");
  await page.waitForURL(`${url}/passkeys`);

  expect(afterCode).toEqual([200, 403]);
  expect(late).toEqual([403, 403]);
  expect(afterPasskey).toEqual([403, 200]);
  expect(await statuses()).toEqual([200, 403]);
});

test("axe finds no problem in the pages, on a phone and in both looks", async ({ browser }) => {
  const { sandbox, url } = await startApp();
  const viewport = { width: 390, height: 844 };
  const { page, answers } = await openDevice(browser, url, { viewport });
  await createPasskey(page, sandbox, url, "+4915123456146");
  await answers(false);
  const found = [];
  for (const path of ["/account", "/passkeys?problem=last_way_in", "/number", "/step-up"]) {
    await page.goto(url + path);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      found.push(...(await violationsIn(page)));
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
  }
  await page.goto(`${url}/account`);
  await button(page, "Log out").click();
  await button(page, "Log in with a passkey").waitFor();
  found.push(...(await violationsIn(page)));

  expect(found).toEqual([]);
});

test("a person sees and removes passkeys, and keeps one way in", async ({ browser }) => {
  const { sandbox, url } = await startApp();
  const phone = "+4915123456144";
  const { page } = await openDevice(browser, url);
  await createPasskey(page, sandbox, url, phone);
  const today = new Date(sandbox.clock.now()).toISOString().slice(0, 10);
  await page.getByText(`Created ${today}`).waitFor();
  await page.getByRole("link", { name: "Add or remove a passkey" }).click();
  await button(page, "Create a passkey").click();
  await page.getByText("This device has a passkey of your account already.").waitFor();

  await page.goto(`${url}/number`);
  await button(page, "Remove the number").click();
  await page.getByText("You have no number.").waitFor();
  await page.goto(`${url}/passkeys`);
  await page.getByRole("button", { name: /^Remove the passkey of Chrome/ }).click();
  await page.getByText("This passkey is the last way into your account.").waitFor();

  const newPhone = "+4915123456145";
  await page.goto(`${url}/number`);
  await page.getByLabel("Phone number").fill(newPhone);
  await enterCode(page, sandbox, newPhone, "Add number");
  await page.getByText(`You are logged in as ${newPhone}`).waitFor();
  await page.goto(`${url}/passkeys`);
  await page.getByRole("button", { name: /^Remove the passkey of Chrome/ }).click();
  await page.getByText("You have no passkey yet.").waitFor();
  await page.goto(`${url}/number`);
  await button(page, "Remove the number").click();
  await page.getByText("This number is the last way into your account.").waitFor();
});
