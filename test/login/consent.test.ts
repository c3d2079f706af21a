import { loginPage } from "@doorcode/browser/server";
import { createDoorcode, createMemoryStore, type DoorcodeEvent, type LoginPage, providerCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import { expect, test } from "vitest";

/** Starts a login as a page does, and returns the event about it. */
async function startWith(body: object, page?: LoginPage): Promise<DoorcodeEvent | undefined> {
  const events: DoorcodeEvent[] = [];
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    session: { password: "a password of the tests, long enough" },
    onEvent: (event) => void events.push(event),
    login: {
      countries: ["US"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: () => false }),
      onLogin: () => "user",
    },
  });
  const login = phoneLogin(doorcode, { basePath: "/login", ...(page && { page }) });
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const members = JSON.stringify({ phone: "+12015550123", ...body });
  const request = new Request("http://localhost/login/start", { ...init, body: members });
  expect((await login(request, { remoteAddress: "127.0.0.1" }))?.status).toBe(200);
  return events.find(({ type }) => type === "login.started");
}

const page = loginPage({ consent: { terms: "/terms" } });
const [version = "", text = ""] = [...(page.consents ?? [])][0] ?? [];

test("login.started has the wording that the mount's own page has shown, and its version", async () => {
  expect(text).toMatch(/Message and data rates may apply\. Terms: \/terms$/);
  expect(await startWith({ consent: version }, page)).toMatchObject({ consent: { version, text } });
});

test("login.started has the version that a page of the app has sent", async () => {
  expect(await startWith({ consent: "2026-11.v2" })).toMatchObject({ consent: { version: "2026-11.v2" } });
});

test.each([
  ["a wording that the mount's own page never had", { consent: "0123456789abcdef" }, page],
  ["a wording of Object", { consent: "constructor" }, page],
  ["no version", {}, page],
  ["a version that is a text", { consent: "I agree to everything\nuser=admin" }, undefined],
  ["a version that is too long", { consent: "v".repeat(65) }, undefined],
  ["a version that is no text", { consent: { version: "1" } }, undefined],
])("%s is no consent", async (_what, body, page) => {
  expect(await startWith(body, page)).not.toHaveProperty("consent");
});
