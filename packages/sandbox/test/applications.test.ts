import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openDataFile } from "../src/state/data-file.ts";
import { dialectChoices } from "../src/state/dialect.ts";
import { defaultSettings } from "../src/state/settings.ts";
import { createState } from "../src/state/state.ts";
import { control } from "./support/control.ts";
import { createReceiver } from "./support/receiver.ts";
import { decision } from "./support/records.ts";
import {
  type Client,
  inOrder,
  messageRequest,
  phone,
  post,
  refused,
  silent,
  sms,
  start,
  startVerification,
  verificationRequest,
} from "./support/start.ts";

/** Returns the status of an API request with the key. */
async function statusOf({ env }: Client, key: string): Promise<number> {
  return (await fetch(`${env.SERVICE_URL}/messages`, { headers: { "X-API-KEY": key } })).status;
}

describe("the default application", () => {
  test("exists from the start, is the first in the list, and is the sandbox itself", async () => {
    const { sandbox } = await start();
    const [first, ...others] = sandbox.applications();
    expect(others).toEqual([]);
    expect([first?.id, first?.env]).toEqual(["default", sandbox.env]);
    const added = sandbox.createApplication();
    expect(sandbox.applications().map(({ id }) => id)).toEqual(["default", added.id]);
  });

  test("can be reset but not removed", async () => {
    const { sandbox } = await start();
    expect(() => sandbox.applications()[0]?.remove()).toThrow(expect.objectContaining({ code: "application_stays" }));
    expect(await control(sandbox, "DELETE", "/applications/default/application")).toMatchObject(
      refused(409, "sandbox.application_stays"),
    );
    expect(await statusOf(sandbox, sandbox.env.SERVICE_API_KEY)).toBe(200);
  });

  test("of a data file gets the options of each start, and keeps what they do not name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "doorcode-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const data = join(folder, "sandbox.db");
    const { sandbox: first } = await start({ data });
    first.configure({ settings: { codeDigits: 4 }, templates: { own: "{{code}}" } });
    await first.close();
    const templates = { order: "Order {{code}}" };
    const { sandbox } = await start({ data, templates, settings: { maxChannels: 2 }, senders: ["Shop", "Doorcode"] });
    expect((await control(sandbox, "GET", "/application")).body).toMatchObject({
      templates: { own: "{{code}}", ...templates },
      settings: { codeDigits: 4, maxChannels: 2 },
    });
    expect(sandbox.account.get().senders.map(({ name }) => name)).toEqual(["Doorcode", "Shop"]);
  });
});

describe("a created application", () => {
  test("has the configuration of createSandbox, with its own on top", async () => {
    const { sandbox } = await start({ settings: { codeDigits: 8, maxTextLength: 10 }, dialect: { envelope: "type" } });
    sandbox.configure({ settings: { codeDigits: 4 }, dialect: { envelope: "event_type" } });
    const application = sandbox.createApplication({ name: "Shop", settings: { maxTextLength: 20 } });
    const { body } = await control(sandbox, "GET", `/applications/${application.id}/application`);
    expect(body).toMatchObject({
      id: application.id,
      name: "Shop",
      settings: { codeDigits: 8, maxTextLength: 20, maxConfirmationAttempts: 5 },
      dialect: { envelope: "type", instants: "iso_milliseconds" },
    });
  });

  test("is removed with its key and all of its records", async () => {
    const { sandbox, clock } = await start();
    const application = sandbox.createApplication();
    const { SERVICE_API_KEY: key } = application.env;
    await startVerification(application);
    sandbox.account.rentNumber({ phone: "+4915199887766", applicationId: application.id });
    application.remove();
    expect(await statusOf(sandbox, key)).toBe(401);
    expect(sandbox.applications()).toHaveLength(1);
    expect([application.inbox.list(), application.verifications.list(), clock.pending]).toEqual([[], [], 0]);
    expect(sandbox.account.get().numbers).toEqual([]);
    const gone = expect.objectContaining({ code: "application_unknown" });
    for (const call of [
      () => application.env,
      () => application.remove(),
      () => application.reset(),
      () => application.clock.now(),
      () => application.clock.set("frozen"),
      () => application.configure({}),
      () => application.deliverTo(() => new Response()),
      () => application.rotateApiKey(),
      () => application.revokeApiKey(),
      () => application.regenerateSigningSecret(),
    ]) {
      expect(call).toThrow(gone);
    }
    await expect(application.clock.advance("1s")).rejects.toEqual(gone);
  });

  test("leaves no clock in the data file, also when a request and a decision end after its removal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "doorcode-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const data = join(folder, "sandbox.db");
    const { sandbox } = await start({ data });
    const application = sandbox.createApplication();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { "X-API-KEY": application.env.SERVICE_API_KEY, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: readable, duplex: "half" } as RequestInit;
    const answered = sandbox.fetch(new Request(`${sandbox.env.SERVICE_URL}/messages`, init));
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode("{"));
    application.remove();
    await writer.close();
    expect((await answered).status).toBe(400);
    application.decisions.receive({ ...decision });
    expect(application.decisions.list()).toEqual([]);
    expect(sandbox.requests.list()).toMatchObject([{ status: 400 }]);
    await sandbox.close();
    const file = openDataFile(data);
    onTestFinished(() => file.close());
    const state = createState({ journalOf: file.journalOf });
    file.load(state);
    expect(state.clockRates.all()).toMatchObject([{ id: "default" }]);
  });

  test("refuses a request whose body was still being sent when it was removed", async () => {
    const { sandbox, clock } = await start();
    const application = sandbox.createApplication();
    const { SERVICE_URL, SERVICE_API_KEY } = application.env;
    for (const [path, request] of [
      ["/messages", messageRequest()],
      ["/verifications", verificationRequest()],
    ] as const) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const headers = { "X-API-KEY": SERVICE_API_KEY, "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: readable, duplex: "half" } as RequestInit;
      const answered = sandbox.fetch(new Request(`${SERVICE_URL}${path}`, init));
      const writer = writable.getWriter();
      await writer.write(new TextEncoder().encode(" "));
      if (path === "/verifications") application.remove();
      await writer.write(new TextEncoder().encode(JSON.stringify(request)));
      await writer.close();
      expect((await answered).status).toBe(path === "/messages" ? 200 : 401);
    }
    await clock.advance(1_000);
    expect([application.inbox.list(), clock.pending]).toEqual([[], 0]);
  });
});

describe("a configuration", () => {
  test("changes settings and dialect by member, and replaces the other members as a whole", async () => {
    const { sandbox } = await start({ templates: { login: "{{code}}" }, codes: { [phone]: "1234" } });
    sandbox.configure({ settings: { codeDigits: 8 }, dialect: { acceptedStatus: 201 } });
    sandbox.configure({ settings: { codeTtlSeconds: 60 }, dialect: { envelope: "type" }, templates: { other: "x" } });
    sandbox.configure({ users: [{ email: "ada@example.com", role: "admin" }] });
    sandbox.configure({ users: [{ email: "bob@example.com", role: "viewer" }], name: undefined });
    const { body } = await control(sandbox, "GET", "/application");
    expect(body).toMatchObject({ name: "Default application", codes: { [phone]: "1234" } });
    expect(body?.settings).toMatchObject({ codeDigits: 8, codeTtlSeconds: 60 });
    expect(body?.dialect).toMatchObject({ acceptedStatus: 201, envelope: "type" });
    expect([body?.templates, body?.users]).toEqual([{ other: "x" }, [{ email: "bob@example.com", role: "viewer" }]]);
  });

  const settingWith =
    (value: unknown) =>
    (name: string): [string, object] => [`settings.${name}`, { settings: { [name]: value } }];
  const wrong: [field: string, configuration: object][] = [
    ...[...Object.keys(defaultSettings), "nothing"].map(settingWith(-1)),
    ...["slowOutcomeSeconds", "fallbackAfterSeconds", "webhookRetryDelaysSeconds"].map(settingWith(0.5)),
    ...["codeTtlSeconds", "maxConfirmationAttempts", "maxBodyBytes", "webhookTimeoutMilliseconds"].map(settingWith(0)),
    ...["outcomeAfterMilliseconds", "codeDigits", "disableAfterSeconds"].map(settingWith(2 ** 31)),
    ...["codeTtlSeconds", "countriesWithoutSenderIds"].map(settingWith("20")),
    ...[...Object.keys(dialectChoices), "nothing"].map((row): [string, object] => [
      `dialect.${row}`,
      { dialect: { [row]: "other" } },
    ]),
    ["settings.codeDigits", { settings: { codeDigits: 3 } }],
    ["settings.webhookRetryDelaysSeconds[1]", { settings: { webhookRetryDelaysSeconds: [1, -1] } }],
    ["settings.countriesWithoutSenderIds[0]", { settings: { countriesWithoutSenderIds: ["us"] } }],
    ["settings", { settings: [] }],
    ["dialect", { dialect: "default" }],
    ["name", { name: " " }],
    ["name", { name: "x".repeat(301) }],
    ["templates", { templates: "Your code" }],
    ["templates.login", { templates: { login: "" } }],
    ["users", { users: {} }],
    ["users[0].email", { users: [{ email: "ada", role: "admin" }] }],
    ["users[0].role", { users: [{ email: "ada@example.com", role: "owner" }] }],
    ["users[0].password", { users: [{ email: "ada@example.com", role: "admin", password: "x" }] }],
    ["behaviours", { behaviours: { [phone]: "rude" } }],
    ["behaviours", { behaviours: { Germany: "slow" } }],
    ["codes", { codes: { [phone]: "12" } }],
    ["codes", { codes: { "0151 12345678": "1234" } }],
    ["colour", { colour: "green" }],
    ["", []],
  ];

  test.each(wrong)("is refused over HTTP with the field %j: %j", async (field, given) => {
    const { sandbox } = await start({ port: "none" });
    for (const [method, path] of [
      ["PATCH", "/application"],
      ["PATCH", "/applications/default/application"],
      ["POST", "/applications"],
    ] as const) {
      const { status, body } = await control(sandbox, method, path, given);
      expect({ status, ...body }).toMatchObject({ status: 422, error_code: "request.invalid", field });
      expect(JSON.stringify(body)).not.toMatch(/15112345678|0151/);
    }
    expect(sandbox.applications()).toHaveLength(1);
  });
});

describe("a rate limit", () => {
  test("accepts the configured requests per second of each application, and answers 429 with Retry-After to more", async () => {
    const { sandbox, clock } = await start({ settings: { requestsPerSecond: 3 } });
    const other = sandbox.createApplication();
    const all = (application: Client) =>
      Promise.all(Array.from({ length: 4 }, () => statusOf(application, application.env.SERVICE_API_KEY)));
    expect(await all(sandbox)).toEqual([200, 200, 200, 429]);
    expect(await all(other)).toEqual([200, 200, 200, 429]);
    const headers = { "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    const refused = await fetch(`${sandbox.env.SERVICE_URL}/messages`, { headers });
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error_code: "request.rate_limited" });
    await clock.advance(999);
    expect(await statusOf(sandbox, sandbox.env.SERVICE_API_KEY)).toBe(429);
    await clock.advance(1);
    expect(await all(sandbox)).toEqual([200, 200, 200, 429]);
  });

  test("ignores requests with a wrong key, and starts again after a reset that moves the clock back", async () => {
    const { sandbox } = await start({ settings: { requestsPerSecond: 1 } });
    const key = sandbox.env.SERVICE_API_KEY;
    for (let request = 0; request < 3; request++) await statusOf(sandbox, "wrong");
    await sandbox.clock.advance("30d");
    expect([await statusOf(sandbox, key), await statusOf(sandbox, key)]).toEqual([200, 429]);
    sandbox.reset();
    expect([await statusOf(sandbox, key), await statusOf(sandbox, key)]).toEqual([200, 429]);
  });
});

test.each(["", "twelve chars", "Grün", "a_b", "12345", "   ", phone, 5])(
  "a sender is refused when it is %j",
  async (name) => {
    const { sandbox } = await start();
    const usageError = expect.objectContaining({ name: "TypeError", field: "name" });
    expect(() => sandbox.account.registerSender(name as string)).toThrow(usageError);
    expect(await control(sandbox, "POST", "/account/senders", { name })).toMatchObject(
      refused(422, "request.invalid", "name"),
    );
  },
);

describe("a rented number", () => {
  const rented = "+4915199887766";

  test("sends with the capability SMS only", async () => {
    const { sandbox } = await start();
    const statusWith = async (capabilities: readonly ("voice" | "SMS")[]) => {
      sandbox.account.rentNumber({ phone: rented, applicationId: sandbox.id, capabilities });
      const { status } = await post(sandbox, "/messages", messageRequest({ channels: sms("Hello", rented) }));
      sandbox.account.releaseNumber(rented);
      return status;
    };
    expect([await statusWith(["voice"]), await statusWith(["SMS"])]).toEqual([422, 200]);
  });

  test.each([
    ["phone", { phone: "0151" }],
    ["applicationId", { applicationId: "" }],
    ["kind", { kind: "satellite" }],
    ["capabilities[0]", { capabilities: ["MMS"] }],
    ["capabilities", { capabilities: [] }],
    ["routing", { routing: "carrier pigeon" }],
    ["colour", { colour: "green" }],
  ])("is refused when %j is wrong: %j", async (field, changes) => {
    const { sandbox } = await start();
    const number = { phone: rented, applicationId: "default", ...changes };
    const usageError = expect.objectContaining({ name: "TypeError", field });
    expect(() => sandbox.account.rentNumber(number as never)).toThrow(usageError);
    expect(sandbox.account.get().numbers).toEqual([]);
  });
});

describe("usage", () => {
  test("counts messages, verifications, channel attempts and deliveries of each application", async () => {
    const { sandbox } = await start({ clock: "frozen", settings: { webhookRetryDelaysSeconds: [1] } });
    const other = sandbox.createApplication();
    sandbox.deliverTo(createReceiver(500).handler, { events: ["message.status.update"] });
    const long = sms("a".repeat(161));
    await post(sandbox, "/messages", messageRequest({ recipients: [phone, silent], channels: long }));
    await post(sandbox, "/messages", messageRequest({ recipients: ["+491713920010"] }));
    const channels = inOrder("SMS", "VOICE");
    await startVerification(sandbox, { recipient: "+491713920030", channels });
    await startVerification(sandbox);
    await sandbox.clock.advance("1h");
    expect(sandbox.usage()).toEqual({
      messages: { total: 3, segments: 5, byStatus: { DELIVERED: 1, SENT: 1, FAILED: 1 } },
      verifications: { total: 2, byStatus: { EXPIRED: 2 } },
      channelAttempts: { total: 3, byChannel: { SMS: 2, VOICE: 1 } },
      deliveries: { total: 5, attempts: 10, byStatus: { failed: 5 } },
    });
    const nothing = { total: 0, byStatus: {} };
    expect(other.usage()).toEqual({
      messages: { ...nothing, segments: 0 },
      verifications: nothing,
      channelAttempts: { total: 0, byChannel: {} },
      deliveries: { ...nothing, attempts: 0 },
    });
    expect((await control(sandbox, "GET", "/usage")).body).toEqual(sandbox.usage());
  });

  test("counts channels of any name, even names that every object has as members", async () => {
    const { sandbox } = await start({ dialect: { channelNames: "any" } });
    for (const channel_name of ["constructor", "__proto__", "constructor"]) {
      await post(sandbox, "/verifications", verificationRequest({ channels: inOrder(channel_name) }));
    }
    const { byChannel } = sandbox.usage().channelAttempts;
    expect(Object.entries(byChannel)).toEqual([
      ["constructor", 2],
      ["__proto__", 1],
    ]);
  });
});
