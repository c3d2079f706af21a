import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../src/index.ts";
import { listRoutes, pathOf } from "./support/routes.ts";
import { messageRequest, post, start } from "./support/start.ts";

const token = "a-secret-for-tests";
const onNetwork = { host: "0.0.0.0", token };
const published = { SERVICE_API_KEY: "sandbox-api-key", WEBHOOK_SECRET: "sandbox-webhook-secret" };

const files = ["style.css", "login.css", "main.js", "idiomorph.js"].map((name) => `/_sandbox/page/${name}`);
/** Every route except those of the service's API, which has keys. */
const routes = [
  ...(await listRoutes()).filter(({ path }) => !path.startsWith("/v1/")),
  ...[...files, "/nowhere", "/login"].map((path) => ({ method: "GET", path })),
];

function send(sandbox: Sandbox, { method, path }: { method: string; path: string }, headers: Record<string, string>) {
  // A stream of changes does not end by itself.
  const signal = AbortSignal.timeout(10_000);
  return fetch(sandbox.url + pathOf({ method, path }), { method, headers, signal, redirect: "manual" });
}

function logIn(sandbox: Sandbox, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(`${sandbox.url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: sandbox.url, ...headers },
    body: new URLSearchParams(fields),
  });
}

/** Logs in and returns the cookie as the browser sends it. */
async function cookieOf(sandbox: Sandbox): Promise<string> {
  const answer = await logIn(sandbox, { token });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("every route refuses a request without the token, and changes nothing", async () => {
  const { sandbox } = await start(onNetwork);
  const before = sandbox.env;
  const [name, value] = (await cookieOf(sandbox)).split("=");
  const without: Record<string, string>[] = [
    { Authorization: `Bearer ${token}x` },
    { Authorization: `Bearer ${token.slice(0, -1)}` },
    { Authorization: "Bearer " },
    { Authorization: token },
    { Authorization: `Basic ${btoa(`:${token}`)}` },
    { "X-API-KEY": sandbox.env.SERVICE_API_KEY },
    { Cookie: `${name}=${token}` },
    { Cookie: `${name}=` },
    { Cookie: `other=${value}` },
  ];
  const taken: string[] = [];
  for (const [index, route] of routes.entries()) {
    // Each route without anything, and with one of the others in turn.
    for (const headers of [{}, without[index % without.length] ?? {}]) {
      const answer = await send(sandbox, route, headers);
      if (answer.status !== 401) taken.push(`${route.method} ${route.path} ${JSON.stringify(headers)}`);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      await answer.body?.cancel();
    }
    expect((await send(sandbox, { ...route, path: `${route.path}?token=${token}` }, {})).status).toBe(401);
  }
  expect(taken).toEqual([]);
  expect([sandbox.env, sandbox.applications().length]).toEqual([before, 1]);
});

test.each(["Authorization", "Cookie"])("every route answers with the token, in %s", async (header) => {
  const { sandbox } = await start(onNetwork);
  const headers = { [header]: header === "Cookie" ? await cookieOf(sandbox) : `Bearer ${token}` };
  for (const route of routes.filter(({ path }) => !/wait$/.test(path))) {
    const answer = await send(sandbox, route, headers);
    expect(answer.status, route.path).not.toBe(401);
    await answer.body?.cancel();
  }
});

test("the control API names the header in its refusal, and the page shows a form", async () => {
  const { sandbox } = await start(onNetwork);
  const refusal = await fetch(`${sandbox.url}/_sandbox/inbox`);
  expect(await refusal.json()).toEqual({
    error_code: "auth.invalid_token",
    error_message: "Send the sandbox's token as Authorization: Bearer TOKEN.",
  });
  const page = await fetch(sandbox.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'nonce-");
  const html = await page.text();
  expect(html).toContain('<input type="password" name="token"');
  // It shows nothing of the sandbox.
  expect(html).not.toMatch(/SERVICE_|Default application|<script/);
});

describe("the login", () => {
  test("sets a cookie that scripts and other sites cannot use, and returns to the page of the form", async () => {
    const { sandbox } = await start(onNetwork);
    const path = "/applications/default/portal?tab=1";
    const answer = await logIn(sandbox, { token: ` ${token} ` }, { Referer: `${sandbox.url}${path}` });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${sandbox.url}${path}`]);
    const cookie = answer.headers.get("set-cookie") ?? "";
    const { port } = new URL(sandbox.url);
    expect(cookie).toMatch(new RegExp(`^doorcode-sandbox-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(cookie).not.toContain(token);
  });

  test("ends at the first page after a login at its own URL", async () => {
    const { sandbox } = await start(onNetwork);
    const answer = await fetch(`${sandbox.url}/login`, { headers: { Cookie: await cookieOf(sandbox) } });
    expect([answer.status, answer.url]).toEqual([200, `${sandbox.url}/`]);
  });

  test.each([
    ["another token", { token: "another-secret-here" }],
    ["the beginning of the token", { token: token.slice(0, -1) }],
    ["more than the token", { token: `${token}x` }],
    ["another case", { token: token.toUpperCase() }],
    ["an empty token", { token: "" }],
    ["no token", {}],
    ["markup", { token: '"><script>alert(1)</script>' }],
    ["a null character", { token: `${token}\0` }],
  ])("refuses %s, and sets no cookie", async (_, fields) => {
    const { sandbox } = await start(onNetwork);
    const answer = await logIn(sandbox, fields);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
    const html = await answer.text();
    expect(html).toContain("This token is incorrect.");
    expect(html).not.toContain("<script");
  });

  test.each([
    ["a form of another site", 403, { Origin: "https://evil.example" }, "token"],
    ["JSON", 415, { "Content-Type": "application/json" }, "token"],
    ["a large body", 413, {}, "x".repeat(1_048_577)],
  ])("refuses %s", async (_, status, headers, value) => {
    const { sandbox } = await start(onNetwork);
    expect((await logIn(sandbox, { token: value }, headers as Record<string, string>)).status).toBe(status);
  });

  test("is over when the sandbox closes", async () => {
    const [{ sandbox: first }, { sandbox: second }] = [await start(onNetwork), await start(onNetwork)];
    const [, value] = (await cookieOf(first)).split("=");
    const Cookie = `doorcode-sandbox-${new URL(second.url).port}=${value}`;
    expect((await fetch(`${second.url}/_sandbox/inbox`, { headers: { Cookie } })).status).toBe(401);
  });
});

test("a foreign host is refused even with the token: a browser could have been misled to it", async () => {
  const { sandbox } = await start({ token, port: "none" });
  const headers = { Authorization: `Bearer ${token}` };
  const status = async (url: string) => (await sandbox.fetch(new Request(url, { headers }))).status;
  expect([await status("http://evil.example/"), await status("http://sandbox.localhost/")]).toEqual([403, 200]);
});

test("on loopback a token is required only where one is set", async () => {
  const status = async (options: SandboxOptions) => {
    const { sandbox } = await start(options);
    return (await fetch(`${sandbox.url}/_sandbox/inbox`)).status;
  };
  expect([await status({}), await status({ token }), await status({ host: "localhost" })]).toEqual([200, 401, 200]);
});

describe("a host that other machines can reach needs a token", () => {
  test.each(["0.0.0.0", "::", "192.168.0.1", "::ffff:127.0.0.1", "127.0.0.1.example", "app.localhost", "my-machine"])(
    "%s",
    async (host) => {
      const refused = await createSandbox({ port: 0, host }).catch((error: Error) => error);
      expect(refused).toBeInstanceOf(TypeError);
      expect(String(refused)).toMatch(/createSandbox: token: expected a secret of at least 16 .+ Set token/);
    },
  );

  test.each(["short", "fifteen-letters", "with a space in it", "with-\u00e9-as-a-letter", "with-a-line\nbreak"])(
    "and %j is none",
    async (wrong) => {
      const refused = await createSandbox({ port: 0, token: wrong }).catch((error: Error) => error);
      expect(refused).toBeInstanceOf(TypeError);
      expect(String(refused)).toContain("createSandbox: token: expected a secret of at least 16");
      expect(String(refused)).not.toContain(wrong);
    },
  );

  test("except without a port", async () => {
    const { sandbox } = await start({ host: "0.0.0.0", port: "none" });
    expect(sandbox.env).toMatchObject(published);
  });
});

describe("the published credentials", () => {
  test("are replaced by random ones in a sandbox with a token", async () => {
    const { sandbox } = await start(onNetwork);
    const { sandbox: other } = await start(onNetwork);
    for (const name of ["SERVICE_API_KEY", "WEBHOOK_SECRET", "SESSION_PASSWORD"] as const) {
      expect(sandbox.env[name]).toMatch(/^[\w-]{24,}$/);
      expect(sandbox.env[name]).not.toMatch(/^sandbox-/);
      expect(sandbox.env[name]).not.toBe(other.env[name]);
    }
    expect(sandbox.env.SESSION_PASSWORD.length).toBeGreaterThanOrEqual(32);
    expect((await post(sandbox, "/messages", messageRequest())).status).toBe(200);
    const env = { ...sandbox.env, ...published };
    expect((await post({ id: sandbox.id, env, inbox: sandbox.inbox }, "/messages", messageRequest())).status).toBe(401);
  });

  test("are replaced in a data file as well, once", async () => {
    const folder = mkdtempSync(join(tmpdir(), "doorcode-token-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const data = join(folder, "sandbox.db");
    const keysWith = async (options: SandboxOptions) => {
      const { sandbox } = await start({ ...options, data });
      const { SERVICE_API_KEY, WEBHOOK_SECRET } = sandbox.env;
      await sandbox.close();
      return { SERVICE_API_KEY, WEBHOOK_SECRET };
    };
    expect(await keysWith({})).toEqual(published);
    const replaced = await keysWith(onNetwork);
    expect(Object.values(replaced).filter((value) => value.startsWith("sandbox-"))).toEqual([]);
    expect(await keysWith(onNetwork)).toEqual(replaced);
  });
});
