import cluster from "node:cluster";
import { createDoorcode, createMemoryStore } from "@doorcode/core";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { host } from "../support/hosts.ts";
import { newestCode, password, phone, setUpLogin } from "../support/login-setup.ts";

const origins = ["https://app.example.com"];

let warn: MockInstance<typeof process.emitWarning>;

beforeEach(() => {
  warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The warnings of the kit so far: each code, and the whole text. */
function warnings(): { readonly code: string | undefined; readonly text: string }[] {
  return warn.mock.calls.map(([text, options]) => ({
    code: (options as { readonly code?: string } | undefined)?.code,
    text: String(text),
  }));
}

describe("a mistake that would show nowhere is said once", () => {
  test("a request to a host that the kit does not serve", async () => {
    const { open } = await setUpLogin(host);
    const proxied = { "x-forwarded-host": "app.example.com" };
    for (let request = 0; request < 2; request++) await open().get("/login/state", proxied);
    expect(warnings().map(({ code }) => code)).toEqual(["origins_missing"]);
  });

  test("a bug in onLogin is shown with its stack while developing, and by its name alone over https", async () => {
    const onLogin = () => Promise.reject(new TypeError(`no row for ${phone}`));
    const details: unknown[] = [];
    for (const served of [undefined, origins]) {
      warn.mockClear();
      const { open, service } = await setUpLogin(host, {
        options: { onEvent: undefined as never, ...(served && { origins: served }) },
        login: { onLogin },
      });
      const browser = open();
      await browser.post("/login/start", { phone });
      await browser.post("/login/confirm", { code: newestCode(service) });
      const [text, options] = warn.mock.calls[0] ?? [];
      expect(text).toContain("login.unfinished: TypeError.");
      details.push((options as { readonly detail?: string }).detail);
    }
    expect(details).toEqual([expect.stringMatching(/^TypeError: no row for .*\n +at /), undefined]);
  });

  test("a code without a login in this browser: the refusal tells whether the cookie was missing", async () => {
    const { open, started } = await setUpLogin(host);
    const [cookie = ""] = (await started()).cookies.keys();
    const withCookie = open();
    withCookie.cookies.set(cookie, "AAAAAAAAAAAAAAAAAAAAAA");
    const answers = [open(), withCookie].map((browser) => browser.post("/login/confirm", { code: "123456" }));
    const [without, unknown] = await Promise.all(answers);

    expect([without?.json.code, unknown?.json.code]).toEqual(["no_transaction", "no_transaction"]);
    expect(without?.json.detail).toContain("no cookie of a login");
    expect(unknown?.json.detail).toBeUndefined();
  });
});

test.each([
  { of: "the memory store", store: createMemoryStore(), codes: ["login_lost"] },
  { of: "another store", store: { ...createMemoryStore() }, codes: [] },
])("an unknown login of $of warns once: $codes", async ({ store, codes }) => {
  const { open, started } = await setUpLogin(host, { store });
  const [cookie = ""] = (await started()).cookies.keys();
  const browser = open();
  for (let request = 0; request < 2; request++) {
    browser.cookies.set(cookie, "AAAAAAAAAAAAAAAAAAAAAA");
    await browser.get("/login/state");
    await browser.post("/login/confirm", { code: "123456" });
  }
  expect(warnings().map(({ code }) => code)).toEqual(codes);
});

describe("the memory store of one process", () => {
  const options = { origins, session: { password } };

  test("is reported in production, unless the app has chosen it", () => {
    vi.stubEnv("NODE_ENV", "production");
    createDoorcode({ ...options, store: createMemoryStore() });
    expect(warnings()).toEqual([]);
    createDoorcode(options);
    expect(warnings().map(({ code }) => code)).toEqual(["memory_store"]);
  });

  test("is reported in a worker of a cluster, also if the app has chosen it", () => {
    const isWorker = vi.spyOn(cluster, "isWorker", "get");
    isWorker.mockReturnValue(true);
    createDoorcode({ ...options, store: createMemoryStore() });
    createDoorcode(options);
    createDoorcode({ ...options, store: { ...createMemoryStore() } });
    expect(warnings().map(({ code }) => code)).toEqual(["memory_store", "memory_store"]);
  });

  test("is not reported while developing", () => {
    createDoorcode(options);
    expect(warnings()).toEqual([]);
  });
});
