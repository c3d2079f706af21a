import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";
import { createDoorcode, createMemoryStore, type DoorcodeEvent, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/express";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import express, { type Express } from "express";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { ServedApp } from "../adapters/host.ts";
import { serveExpress } from "../adapters/serve-express.ts";
import { serveFastify } from "../adapters/serve-fastify.ts";
import { type Browser, openBrowser } from "../support/browser.ts";
import { runProgram } from "../support/document-program.ts";
import { findFreePort } from "../support/free-port.ts";
import { signedHeaders } from "../support/signed-delivery.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (document: string) => readFileSync(join(root, document), "utf8");
const fence = (document: string, language: string, index = 0) =>
  [...read(document).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))][index]?.[1] ?? "";

const users = { onLogin: async ({ phone }: { readonly phone: string }) => `user of ${phone.slice(-2)}` };
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ port: 0 });
  for (const [name, value] of Object.entries(sandbox.env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await sandbox.close();
});

/** Logs in as a page of the app does, with the code of the sandbox. */
async function logIn(browser: Browser, phone: string, headers?: Record<string, string>): Promise<unknown> {
  await browser.post("/login/start", { phone }, headers);
  const { code } = await sandbox.inbox.wait({ to: phone });
  return (await browser.post("/login/confirm", { code }, headers)).json.userId;
}

/** Writes a program of a document where it finds the built packages, as a reader's program would. */
function writeProgram(name: string, program: string): string {
  const workshop = join(root, ".doorcode");
  mkdirSync(workshop, { recursive: true });
  const folder = mkdtempSync(join(workshop, "program-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), program);
  return join(folder, name);
}

describe("the README", () => {
  test("has the environment of the sandbox", () => {
    const { SERVICE_URL, ...secrets } = parseEnv(fence("README.md", "sh", 1));
    const { SERVICE_URL: url, ...others } = sandbox.env;
    expect(secrets).toEqual(others);
    expect(SERVICE_URL?.replace("localhost:4010", new URL(url).host)).toBe(url);
  });

  test("has a program that is JavaScript, and that shows a login page and logs in", async () => {
    const port = await findFreePort();
    const app = writeProgram("app.mjs", fence("README.md", "ts"));
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [app], { env, stdio: ["ignore", "inherit", "inherit"] });
    onTestFinished(() => void child.kill());
    const browser = openBrowser(`http://localhost:${port}`);
    await vi.waitFor(() => browser.get("/login"), { timeout: 20_000, interval: 100 });

    const page = await browser.get("/login");
    expect(page.text).toContain("<phone-login");
    for (const file of page.text.match(/(?<=(?:href|src)=")[^"]+/g) ?? []) {
      expect([file, (await browser.get(file)).status]).toEqual([file, 200]);
    }
    const userId = await logIn(browser, "+4915112345601");
    expect((await browser.get("/account")).text).toBe(`You are ${userId}. <a href="/login">Log out</a>`);
    const second = spawn(process.execPath, [app], { env, stdio: "ignore" });
    expect(await once(second, "exit"), "the port is taken").toEqual([1, null]);
  });
});

test("core's document about tests has a program that passes in node:test, and the skill has the same", async () => {
  const program = fence("packages/core/docs/testing.md", "ts");
  await promisify(execFile)(process.execPath, ["--test", writeProgram("login.test.ts", program)]);
  expect(fence("packages/core/skills/doorcode-testing/SKILL.md", "ts")).toBe(program);
});

describe("the skills", () => {
  const skills = globSync("packages/*/skills/*/SKILL.md", { cwd: root });

  async function serveSkill<App>(name: string, serve: (app: App) => Promise<ServedApp>): Promise<Browser> {
    const { app } = await runProgram<{ app: App }>({ document: skill(name), modules: { users } });
    const served = await serve(app);
    onTestFinished(served.close);
    return openBrowser(served.url);
  }

  test.each(skills)("%s has the front matter that agents read, and is in the package", (path) => {
    const [, name, description] = read(path).match(/^---\nname: (.+)\ndescription: (.+)\n---\n/) ?? [];
    expect(name).toBe(basename(dirname(path)));
    expect(description).toMatch(/\. Use when .+\.$/);
    expect(JSON.parse(read("packages/core/package.json")).files).toContain("skills");
  });

  test.each([
    ["express", (name: string) => serveSkill<Express>(name, serveExpress), "+4915112345602"],
    ["fastify", (name: string) => serveSkill<FastifyInstance>(name, serveFastify), "+4915112345603"],
  ])("the program for %s shows a login page, logs in, and guards its page", async (name, serve, phone) => {
    const browser = await serve(name);
    const redirected = await browser.get("/account", { accept: "text/html" });
    expect(redirected.headers.get("location")).toBe("/login?next=%2Faccount");
    expect((await browser.get("/login")).text).toContain("<phone-login");
    await logIn(browser, phone);
    expect((await browser.get("/account")).json).toEqual({ id: `user of ${phone.slice(-2)}` });
  });

  test("the program for webhooks handles a signed delivery", async () => {
    const document = skill("webhooks");
    const { app, statuses } = await runProgram<{ app: Express; statuses: ReadonlyMap<string, string> }>({
      document,
      modules: {},
    });
    const served = await serveExpress(app);
    onTestFinished(served.close);
    const data = { message_id: "m1", status: "DELIVERED", status_updated_at: new Date().toISOString() };
    const body = JSON.stringify({ event: "message.status.update", data });
    const headers = Object.fromEntries(signedHeaders(body, Math.floor(Date.now() / 1000), sandbox.env.WEBHOOK_SECRET));
    const answer = await fetch(`${served.url}/webhooks`, { method: "POST", headers, body });
    expect([answer.status, [...statuses.values()]]).toEqual([204, ["DELIVERED"]]);
  });
});

test("the recipe of core's document about events tells a user of a login on a new device, and of no other", async () => {
  const phone = "+4915112345606";
  const told: Promise<void>[] = [];
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    service: { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY },
    session: { password: sandbox.env.SESSION_PASSWORD },
    login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), limits: { cooldownSeconds: 0 }, ...users },
    onEvent: (event) => void told.push(recipe.tellUser(event)),
  });
  const recipe: { tellUser(event: DoorcodeEvent): Promise<void> } = await runProgram({
    document: "packages/core/docs/events.md",
    heading: "Tell the user",
    modules: { doorcode: { doorcode }, users: { users: { get: async () => ({ phone, language: "en-GB" }) } } },
  });
  const served = await serveExpress(express().use("/login", phoneLogin(doorcode)));
  onTestFinished(served.close);
  const texts = () => sandbox.inbox.list({ to: phone }).map(({ text }) => text);
  const notices = () => texts().filter((text) => text?.startsWith("New login: "));

  const known = openBrowser(served.url);
  for (const browser of [known, known]) expect(await logIn(browser, phone)).toBe("user of 06");
  await Promise.all(told);
  expect(notices()).toEqual([]);

  await logIn(openBrowser(served.url), phone, {
    "sec-fetch-site": "same-origin",
    "user-agent": "Firefox/145.0 (Windows)",
  });
  await Promise.all(told);
  expect(notices()).toEqual([expect.stringMatching(/^New login: Firefox on Windows, .* UTC\. Not you\? /)]);
});

describe("core's document about other origins", () => {
  const document = "packages/core/docs/other-origins.md";
  const heading = "A page on another origin of the same site";
  const page = { origin: "https://app.example.com", "sec-fetch-site": "same-site" };

  test("has a program that lets the page of its origin log in, and no other", async () => {
    const doorcode = createDoorcode({
      origins: [page.origin],
      store: createMemoryStore(),
      service: { baseUrl: sandbox.env.SERVICE_URL, apiKey: sandbox.env.SERVICE_API_KEY },
      session: { password: sandbox.env.SESSION_PASSWORD },
      login: { countries: ["DE"], codes: serviceCodes({ template: "login" }), ...users },
    });
    const { app } = await runProgram<{ app: Express }>({ document, heading, modules: { doorcode: { doorcode } } });
    const served = await serveExpress(app);
    onTestFinished(served.close);
    const browser = openBrowser(served.url);
    const asked = { ...page, "access-control-request-method": "POST" };
    const preflight = await browser.send("/login/start", { method: "OPTIONS", headers: asked });
    const phone = "+4915112345604";
    const started = await browser.post("/login/start", { phone }, page);
    const foreign = await browser.post("/login/start", { phone }, { ...page, origin: "https://evil.example" });

    for (const { headers } of [preflight, started]) {
      expect(headers.get("access-control-allow-origin")).toBe(page.origin);
      expect(headers.get("access-control-allow-credentials")).toBe("true");
    }
    expect([preflight.status, started.json.status]).toEqual([204, "code_sent"]);
    expect([foreign.status, foreign.json.code]).toEqual([403, "foreign_origin"]);
  });

  test("says what the kit itself answers to OPTIONS", async () => {
    const { app } = await runProgram<{ app: Express }>({ document: skill("express"), modules: { users } });
    const served = await serveExpress(app);
    onTestFinished(served.close);
    const answer = await fetch(`${served.url}/login/start`, { method: "OPTIONS", headers: page });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});

function skill(name: string): string {
  return `packages/core/skills/doorcode-${name}/SKILL.md`;
}
