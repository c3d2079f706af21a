import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loginPage } from "@doorcode/browser/server";
import { createDoorcode, createMemoryStore, type Doorcode, providerCodes } from "@doorcode/core";
import * as onExpress from "@doorcode/express";
import * as onFastify from "@doorcode/fastify";
import * as onFetch from "@doorcode/fetch";
import express from "express";
import fastify from "fastify";
import { afterEach, describe, expect, test } from "vitest";

const page = loginPage({ title: "Log in <here>", done: "/account" });
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function createKit(): Doorcode {
  return createDoorcode({
    store: createMemoryStore(),
    session: { password: "a password of the tests, long enough" },
    login: {
      countries: ["DE", "AT"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: ({ code }) => code === "246810" }),
      onLogin: () => "user",
    },
  });
}

/** An app with the page below a path, and nothing else. Its function sends a request without following redirects. */
type Send = (path: string, init?: RequestInit) => Promise<Response>;

const hosts: Readonly<Record<string, () => Promise<Send>>> = {
  async Express() {
    const router = express.Router().use("/login", onExpress.phoneLogin(createKit(), { page }));
    const server = createServer(express().use("/shop", router)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    closing.push(() => server.close());
    return sender(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  },
  async Fastify() {
    const app = fastify();
    await app.register(onFastify.phoneLogin(createKit(), { page }), { prefix: "/shop/login" });
    closing.push(() => app.close());
    return sender(await app.listen({ port: 0, host: "127.0.0.1" }));
  },
  async "a fetch host"() {
    const login = onFetch.phoneLogin(createKit(), { basePath: "/shop/login", page });
    const notFound = new Response(null, { status: 404 });
    return async (path, init) =>
      (await login(new Request(`http://localhost${path}`, init), { remoteAddress: "127.0.0.1" })) ?? notFound;
  },
};

function sender(url: string): Send {
  return (path, init) => fetch(url + path, { redirect: "manual", ...init });
}

test("a page below a wildcard route of Express has no link to another host", async () => {
  const app = express().use("/{*any}/login", onExpress.phoneLogin(createKit(), { page }));
  const server = createServer(app).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(() => server.close());
  const send = sender(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "phone=1" };
  const ofPage = { ...form, headers: { ...form.headers, "sec-fetch-site": "same-origin" } };
  const refused = await send("//evil.example/login/start", ofPage);
  expect(refused.headers.get("location")).toMatch(/^\/evil\.example\/login/);
  expect(await (await send("//evil.example/login/")).text()).not.toMatch(/["'=]\/\/evil/);
});

describe.each(Object.entries(hosts))("a page that the mount serves, on %s", (_name, open) => {
  test("is HTML below a strict policy, in the language of the browser, and no cache keeps it", async () => {
    const send = await open();
    const answer = await send("/shop/login", { headers: { "accept-language": "ja, de-AT;q=0.8, en;q=0.7" } });
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toContain("no-store");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
    expect(html).toContain('<html lang="de">');
    expect(html).toContain("<h1>Log in &#60;here&#62;</h1>");
    expect(html).toContain('action="/shop/login/start"');
    expect(html).not.toMatch(/<script(?! type="module" src=)|<style| style="/);
  });

  test("loads its script and its style from below the mount", async () => {
    const send = await open();
    const html = await (await send("/shop/login")).text();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files).toEqual(["/shop/login/page.css", "/shop/login/page.js"]);
    const answers = await Promise.all(files.map((file) => send(file)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ headers }) => headers.get("content-type")?.split(";")[0])).toEqual([
      "text/css",
      "text/javascript",
    ]);
    expect(answers.map(({ headers }) => headers.get("x-content-type-options"))).toEqual(["nosniff", "nosniff"]);
  });

  test("gets its forms back, with what was wrong, and leads on when the login is done", async () => {
    const send = await open();
    const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
    const wrong = await send("/shop/login/start", { method: "POST", headers, body: "phone=12" });
    expect([wrong.status, wrong.headers.get("location")]).toEqual([303, "/shop/login?problem=phone_invalid"]);
    expect(wrong.headers.get("cache-control")).toContain("no-store");
    const ofCode = await send("/shop/login/confirm", { method: "POST", headers, body: "code=1&phone=12" });
    expect([ofCode.status, ofCode.headers.getSetCookie()]).toEqual([303, []]);
    const started = await send("/shop/login/start", { method: "POST", headers, body: "phone=%2B4915123456789" });
    expect([started.status, started.headers.get("location")]).toEqual([303, "/shop/login"]);
    const cookie = started.headers
      .getSetCookie()
      .map((written) => written.split(";")[0])
      .join("; ");
    expect(await (await send("/shop/login", { headers: { cookie } })).text()).toContain('action="/shop/login/confirm"');
    const done = await send("/shop/login/confirm", {
      method: "POST",
      headers: { ...headers, cookie },
      body: "code=246810",
    });
    expect([done.status, done.headers.get("location")]).toEqual([303, "/account"]);
  });

  test("shows the number of a refused form again, with its country, from a sealed cookie and no address", async () => {
    const send = await open();
    const post = (body: string, cookie = "") =>
      send("/shop/login/start", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin", cookie },
        body,
      });
    const shown = async (path: string, cookie: string) => {
      const html = await (await send(path, { headers: { cookie } })).text();
      return [html.match(/ value="([^"]*)" [^>]*aria-describedby/)?.[1], html.match(/value="(..)" selected/)?.[1]];
    };
    const refused = await post("phone=0664+12&country=AT");
    const [written = ""] = refused.headers.getSetCookie();
    const location = refused.headers.get("location") ?? "";
    const [cookie = ""] = written.split(";");
    expect(location).toBe("/shop/login?problem=phone_invalid");
    expect(written).toMatch(/^doorcode-typed=Fe26\.2.*; Max-Age=300; Path=\/; HttpOnly; SameSite=Lax$/);
    // The whole text: the salts of a seal may have any four digits.
    expect(decodeURIComponent(written)).not.toMatch(/0664[ +]12/);
    expect(await shown(location, cookie)).toEqual(["0664 12", "AT"]);
    // Somebody who comes later finds an empty field, and so does one with a forged cookie.
    expect(await shown("/shop/login", cookie)).toEqual([undefined, "DE"]);
    expect(await shown(location, cookie.replace(/.....$/, "AAAAA"))).toEqual([undefined, "DE"]);
    // A number without its plus is asked about.
    const [ambiguous = ""] = (await post("phone=4915123456789&country=DE")).headers.getSetCookie();
    const asked = await send(location, { headers: { cookie: ambiguous.split(";")[0] ?? "" } });
    expect(await asked.text()).toContain("This number can be read in two ways.");
    expect((await post(`phone=${"1".repeat(80)}`)).headers.getSetCookie()).toEqual([]);
    // The start that follows takes it away.
    const started = await post("phone=%2B4915123456789", cookie);
    expect(started.headers.getSetCookie()).toContainEqual(expect.stringMatching(/^doorcode-typed=; Max-Age=0;/));
  });

  test("is not served to a host that is not the app's", async () => {
    const send = await open();
    const answer = await send("/shop/login", { headers: { "x-forwarded-host": "evil.example" } });
    expect(answer.status).toBe(403);
  });
});

test("a form goes on to a path in any script, in the form that a header may have", async () => {
  const login = onFetch.phoneLogin(createKit(), { basePath: "/login", page: loginPage({ done: "/账户?q=ü" }) });
  const submit = (step: string, fields: Record<string, string>, cookie = "") => {
    const headers = { "sec-fetch-site": "same-origin", cookie };
    const request = new Request(`http://localhost/login/${step}`, {
      method: "POST",
      headers,
      body: new URLSearchParams(fields),
    });
    return login(request, { remoteAddress: "127.0.0.1" });
  };
  const started = await submit("start", { phone: "+4915123456789" });
  const cookie = started?.headers.getSetCookie()[0]?.split(";")[0];
  const confirmed = await submit("confirm", { code: "246810" }, cookie);
  expect(confirmed?.headers.get("location")).toBe("/%E8%B4%A6%E6%88%B7?q=%C3%BC");
});

test("a mount without a page leaves its own path to the app", async () => {
  const login = onFetch.phoneLogin(createKit(), { basePath: "/login" });
  const client = { remoteAddress: "127.0.0.1" };
  expect(await login(new Request("http://localhost/login"), client)).toBeUndefined();
  expect(await login(new Request("http://localhost/login/page.js"), client)).toBeUndefined();
});

test.each([
  [
    "something else than a page",
    () => "login.html",
    "phoneLogin: page: expected loginPage({ … }) of @doorcode/browser/",
  ],
  ["a page that leads elsewhere", () => loginPage({ done: "account" }), "phoneLogin: page.done: expected a path"],
  [
    "a misspelled option",
    () => loginPage({ titel: "Hi" } as object),
    "loginPage: unknown option titel; the options are",
  ],
])("%s is refused at start, with the fix", (_, create, message) => {
  expect(() => onExpress.phoneLogin(createKit(), { page: create() as never })).toThrow(message);
});
