import { expect, test } from "vitest";
import { createSandbox } from "../src/index.ts";
import {
  type Client,
  headersOf,
  inOrder,
  messageRequest,
  phone,
  post,
  start,
  verificationRequest,
} from "./support/start.ts";

test("leaves no timer and no open port after close", async () => {
  const { sandbox, clock } = await start();
  const headers = headersOf(sandbox);
  const body = JSON.stringify({ recipient: phone, custom_otp: "1", channels: inOrder("SMS") });
  await fetch(`${sandbox.env.SERVICE_URL}/verifications`, { method: "POST", headers, body });
  expect(clock.pending).toBeGreaterThan(0);
  await sandbox.close();
  expect(clock.pending).toBe(0);
  await expect(fetch(sandbox.url)).rejects.toThrow();
});

test("schedules no retry for an attempt that close interrupts", async () => {
  const { sandbox, clock } = await start();
  sandbox.deliverTo(() => new Promise(() => {}));
  await post(sandbox, "/messages", messageRequest());
  await clock.advance(50);
  await sandbox.close();
  await sandbox.deliveries.settled();
  expect(sandbox.deliveries.list()).toMatchObject([{ attempts: [{ status: undefined }] }]);
  expect(clock.pending).toBe(0);
});

test("does not change the process's own Request and Response", async () => {
  const before = [globalThis.Request, globalThis.Response];
  await start();
  expect([globalThis.Request, globalThis.Response]).toEqual(before);
});

test.each([
  ["port", { port: -1 }],
  ["port", { port: "4010" }],
  ["clock", { clock: {} }],
  ["settings.codeTtlSeconds", { settings: { codeTtlSeconds: 0 } }],
  ["senders[0]", { senders: [""] }],
  ["behaviours", { behaviours: { "0151 12345678": "sms_fails" } }],
  ["prot", { prot: 4010 }],
  ["settings.codeTTL", { settings: { codeTTL: 5 } }],
])("an invalid option is refused by name: %s: %j", async (name, options) => {
  const refused = await createSandbox(options as object).catch((error: Error) => error);
  expect(refused).toBeInstanceOf(TypeError);
  expect(String(refused)).toContain(`createSandbox: ${name}: `);
  expect(String(refused)).not.toMatch(/15112345678|0151/);
});

test("has the given templates in addition to login, and so has each further application", async () => {
  const { sandbox } = await start({ templates: { welcome: "Welcome, {{code}}" } });
  const further = sandbox.createApplication({ templates: { goodbye: "Goodbye, {{code}}" } });
  const accepted = (application: Client, name: string) =>
    post(application, "/verifications", verificationRequest({ template: { name } })).then(({ status }) => status);
  expect([await accepted(sandbox, "login"), await accepted(sandbox, "welcome")]).toEqual([200, 200]);
  for (const name of ["login", "welcome", "goodbye"]) expect(await accepted(further, name)).toBe(200);
  expect(await accepted(sandbox, "goodbye")).toBe(422);
});

test("calls a watcher after the run of code that queued the message, so that the watcher can reset", async () => {
  const { sandbox } = await start();
  const texts: string[] = [];
  sandbox.inbox.watch(({ text }) => {
    texts.push(text);
    sandbox.reset();
  });
  expect((await post(sandbox, "/messages", messageRequest())).status).toBe(200);
  expect([texts, sandbox.inbox.list()]).toEqual([["Hello"], []]);
});
