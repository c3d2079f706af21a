import { createDoorcode, createMemoryStore, serviceCodes } from "@doorcode/core";
import { phoneLogin } from "@doorcode/fetch";
import { afterEach, expect, test, vi } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { sendEventsTo } from "../src/send-events.ts";
import { control } from "./support/control.ts";
import { view } from "./support/page.ts";
import { decision } from "./support/records.ts";
import { start } from "./support/start.ts";

afterEach(() => void vi.restoreAllMocks());

/** Resolves when the sandbox has so many decisions: they are sent a moment after they were made. */
async function arrived(sandbox: Sandbox, count: number): Promise<void> {
  await vi.waitFor(() => expect(sandbox.decisions.list().length).toBe(count), { timeout: 20_000 });
}

test("an app that points onEvent at the sandbox sees what its limits decide, and sends no number", async () => {
  const { sandbox } = await start({ settings: { requestsPerSecond: 0 } });
  const { SERVICE_URL: baseUrl, SERVICE_API_KEY: apiKey, SESSION_PASSWORD: password } = sandbox.env;
  const doorcode = createDoorcode({
    store: createMemoryStore(),
    service: { baseUrl, apiKey },
    session: { password },
    onEvent: sendEventsTo(sandbox.url),
    login: {
      countries: ["DE"],
      codes: serviceCodes({ template: "login" }),
      limits: { mode: "enforce" },
      onLogin: () => "user_1",
    },
  });
  const login = phoneLogin(doorcode, { basePath: "/login" });
  for (let index = 0; index < 8; index++) {
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const body = JSON.stringify({ phone: `+491512345670${index}` });
    await login(new Request("http://localhost/login/start", { method: "POST", headers, body }), {
      remoteAddress: "203.0.113.7",
    });
  }
  await arrived(sandbox, 8);
  await doorcode.close();

  const { html } = await view(`${sandbox.url}/applications/default/limits`);
  expect(html.match(/<li id="decision-/g)).toHaveLength(8);
  expect(html).toMatch(/Block<\/strong>: 7 logins, where 6 are allowed<\/span><span class="text">DE</);
  expect(html).toMatch(/Block<\/strong>: closed by earlier unconfirmed logins<\/span><span class="text">DE</);
  expect(html).toMatch(
    /<th scope="row">All<\/th><td class="amount">6<\/td><td class="amount">0<\/td><td class="amount">2</,
  );
  // A random id may have any four digits.
  const decisions = sandbox.decisions.list().map(({ id: _, ...decision }) => decision);
  expect(JSON.stringify(decisions)).not.toMatch(/4567|203\.0/);
});

test("other events stay in the app", async () => {
  const { sandbox } = await start();
  const asked = vi.spyOn(globalThis, "fetch");
  const send = sendEventsTo(sandbox.url);
  send({ type: "login.completed", userId: "user_1" } as { type: string });
  send(decision);
  await arrived(sandbox, 1);
  expect(asked.mock.calls.map(([, init]) => init?.body)).toEqual([JSON.stringify({ events: [decision] })]);
  sandbox.decisions.receive({ type: "login.completed" });
  expect(sandbox.decisions.list()).toMatchObject([{ outcome: "allowed", country: "DE" }]);
});

test("keeps the last 500 decisions of each application", async () => {
  const { sandbox } = await start({ port: "none" });
  const other = sandbox.createApplication();
  other.decisions.receive(decision);
  for (let count = 0; count < 502; count++) sandbox.decisions.receive({ ...decision, count, threshold: 0 } as never);
  const kept = sandbox.decisions.list().map(({ count }) => count);
  expect([kept.length, kept[0], kept.at(-1), other.decisions.list().length]).toEqual([500, 2, 501, 1]);
  await control(sandbox, "DELETE", "/decisions");
  expect([sandbox.decisions.list(), other.decisions.list().length]).toEqual([[], 1]);
});

test.each([
  ["no list", { events: decision }, "events"],
  ["an event without a type", { events: [{}] }, "events[0].type"],
  ["an unknown outcome", { events: [{ ...decision, outcome: "lost" }] }, "outcome"],
  ["a long limit", { events: [{ ...decision, limit: "x".repeat(41) }] }, "limit"],
  ["too many events", { events: Array(1001).fill({ type: "x" }) }, "events"],
])("refuses %s, and keeps none of the request", async (_what, body, field) => {
  const { sandbox } = await start({ port: "none" });
  const answer = await control(sandbox, "POST", "/events", body);
  expect([answer.status, answer.body?.error_code, answer.body?.field]).toEqual([422, "request.invalid", field]);
  expect(sandbox.decisions.list()).toEqual([]);
});

test("a sandbox that is away or refuses the token changes nothing in the app and causes one warning", async () => {
  const { sandbox } = await start({ token: "a-secret-for-tests" });
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const asked = vi.spyOn(globalThis, "fetch");
  const warned = async (count: number) =>
    vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(count), { timeout: 20_000 });
  const away = sendEventsTo("http://127.0.0.1:1");
  const refused = sendEventsTo(sandbox.url, { token: "another-secret-here" });
  away(decision);
  await warned(1);
  refused(decision);
  await warned(2);
  away(decision);
  sendEventsTo(sandbox.url, { token: "a-secret-for-tests" })(decision);
  await arrived(sandbox, 1);
  expect(asked).toHaveBeenCalledTimes(4);
  await Promise.allSettled(asked.mock.results.map(({ value }) => value));
  expect(warn.mock.calls.map(([message]) => /(127\.0\.0\.1:1 .*)|401/.test(String(message)))).toEqual([true, true]);
  expect(() => sendEventsTo("localhost:4010")).toThrow(/sendEventsTo: url: expected the URL of the sandbox/);
});

test("the view of an app that sends nothing says which line to add, with its application", async () => {
  const { sandbox } = await start();
  const { id } = sandbox.createApplication();
  const own = await view(`${sandbox.url}/applications/default/limits`);
  const other = await view(`${sandbox.url}/applications/${id}/limits`);
  expect(own.html).toContain(`sendEventsTo(&quot;${sandbox.url}&quot;)`);
  expect(other.html).toContain(`sendEventsTo(&quot;${sandbox.url}&quot;, {&quot;application&quot;:&quot;${id}&quot;})`);
});
