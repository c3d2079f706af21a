import { channel } from "node:diagnostics_channel";
import { type CodeStrategyFactory, createDoorcode } from "@doorcode/core";
import { createManualClock } from "@doorcode/core/testing";
import { phoneLogin } from "@doorcode/fetch";
import { instrumentDoorcode } from "@doorcode/opentelemetry";
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { deliverVerification, webhookSecret } from "../../../test/login/deliver-verification.ts";
import { createDeployment } from "../../../test/support/deployment.ts";
import { hosts } from "../../../test/support/hosts.ts";
import {
  newestCode,
  otherPhone,
  password,
  phone,
  serviceOwned,
  setUpLogin,
  wrongCode,
} from "../../../test/support/login-setup.ts";
import { startScriptedService } from "../../../test/support/scripted-service.ts";
import { messageEvent, setUpWebhooks } from "../../../test/support/webhook-setup.ts";
import { startListingService } from "../../../test/webhooks/listing-service.ts";
import { instruments } from "../src/instrument-table.ts";
import { documented } from "./documented-metrics.ts";
import { startSdk, type TestedSdk } from "./sdk.ts";

afterEach(() => void vi.restoreAllMocks());

function instrument(): TestedSdk {
  const sdk = startSdk();
  onTestFinished(instrumentDoorcode(sdk));
  return sdk;
}

test("docs/metrics.md lists every instrument with its unit, and no other", () => {
  const units = [...documented].flatMap(([name, { unit }]) => (unit === undefined ? [] : [[name, unit]]));
  const expected = Object.entries(instruments).map(([name, { unit }]) => [name, unit]);
  expect(Object.fromEntries(units)).toEqual(Object.fromEntries(expected));
});

describe.each(hosts)("the metrics of an app on $name", (host) => {
  test("count what became of its logins and webhooks, and tell nobody apart", async () => {
    const sdk = instrument();
    const { codes } = serviceOwned;
    const { started, open, service } = await setUpLogin(host, { codes });
    const browser = await started();
    await browser.post("/login/confirm", { code: wrongCode(service) });
    await browser.post("/login/confirm", { code: newestCode(service) });
    await open().post("/login/start", { phone: "+4930123456" });
    service.onCreate = () => ({ status: 503, body: {} });
    await open().post("/login/start", { phone: otherPhone });
    const failing = { now: true };
    const webhooks = await setUpWebhooks(host, {
      handle: () => {
        if (failing.now) throw new RangeError(`no user has ${phone}`);
      },
    });
    await webhooks.deliver(messageEvent("SENT"));
    failing.now = false;
    for (let delivery = 0; delivery < 2; delivery++) await webhooks.deliver(messageEvent("SENT"));
    await webhooks.send([], "{}");

    const series = await sdk.series();
    const counts = series.map(({ name, attributes, count }) => [name, Object.values(attributes).join(" "), count]);
    expect(Object.fromEntries(counts.map(([name, values, count]) => [`${name} ${values}`, count]))).toEqual({
      "doorcode.login.starts login DE": 1,
      "doorcode.login.completions login DE": 1,
      "doorcode.login.refusals confirm code_rejected": 1,
      "doorcode.login.refusals start number_type_not_allowed": 1,
      "doorcode.login.refusals start service_unavailable": 1,
      "doorcode.login.decisions allowed DE false false false": 2,
      "doorcode.login.sends SMS DE login": 1,
      "doorcode.login.sends SMS DE login service_unavailable": 1,
      "doorcode.login.checks wrong DE": 1,
      "doorcode.login.checks right DE": 1,
      "doorcode.webhook.refusals header_missing": 1,
      "doorcode.webhook.events message.status.update failed RangeError": 1,
      "doorcode.webhook.events message.status.update handled": 1,
      "doorcode.webhook.events message.status.update duplicate": 1,
      "doorcode.login.start.duration login": 1,
      "doorcode.login.start.duration number_type_not_allowed": 1,
      "doorcode.login.start.duration service_unavailable": 1,
      "doorcode.login.confirm.duration login": 1,
      "doorcode.login.confirm.duration code_rejected": 1,
      "doorcode.login.send.duration SMS": 1,
      "doorcode.login.send.duration SMS service_unavailable": 1,
      "doorcode.login.check.duration wrong": 1,
      "doorcode.login.check.duration right": 1,
      "doorcode.login.callback.duration onLogin accepted": 1,
      "doorcode.login.entry.duration login SMS": 1,
      "doorcode.webhook.lag message.status.update": 1,
      "doorcode.webhook.handler.duration message.status.update RangeError": 1,
      "doorcode.webhook.handler.duration message.status.update": 1,
    });
    const undocumented = [...series, ...sdk.spans()].flatMap(({ name, attributes }) =>
      Object.keys(attributes).filter((attribute) => !documented.get(name)?.attributes.includes(attribute)),
    );
    expect(undocumented).toEqual([]);
    const said = JSON.stringify([series, sdk.spans().map(({ attributes, events }) => ({ attributes, events }))]);
    for (const secret of [phone, phone.slice(3), otherPhone, service.code, "user of", "127.0.0.1"]) {
      expect(said).not.toContain(secret);
    }
  });

  test("count what reconciliations found, and those that failed", async () => {
    const sdk = instrument();
    const service = await startListingService();
    const app = createDeployment();
    const kit = { app, service: service.options, reconcileEverySeconds: 60 };
    const { doorcode, events } = await setUpWebhooks(host, kit);
    service.messages.push(messageEvent("SENT").data);
    await doorcode.messages.reconcile({ since: new Date(app.clock.now() - 3_600_000) });
    service.onAsked = () => 401;
    await app.clock.advance(6000);
    await expect.poll(() => events.map(({ type }) => type)).toContain("webhook.reconcile_failed");

    const counts = (await sdk.series()).filter(({ name }) => name.startsWith("doorcode.webhook.reconcil"));
    expect(counts.map(({ name, attributes, sum }) => [name, ...Object.values(attributes), sum])).toEqual([
      ["doorcode.webhook.reconciliations", 1],
      ["doorcode.webhook.reconciliations", "service_unauthorized", 1],
      ["doorcode.webhook.reconciled", "accepted", 1],
      ["doorcode.webhook.reconciled", "known", 0],
      ["doorcode.webhook.reconciled", "failed", 0],
    ]);
  });

  test("count the codes that were delivered and those that nobody got, with the time to the delivery", async () => {
    const sdk = instrument();
    const login = await setUpLogin(host, { options: { webhooks: { secret: webhookSecret } } });
    await login.started();
    const report = (channel_status: string, second: number, status = "PENDING") =>
      deliverVerification(login, {
        verification_id: login.service.created.at(-1)?.id,
        recipient: phone,
        channel: "SMS",
        channel_status,
        status,
        updated_at: `2026-09-21T14:13:${second}Z`,
      });
    await report("SENT", 20);
    await report("DELIVERED", 27);
    await login.open().post("/login/start", { phone: otherPhone });
    await report("FAILED", 30, "FAILED");
    const series = (await sdk.series()).filter(({ name }) => name.startsWith("doorcode.login.deliver"));
    expect(series.map(({ name, attributes, sum }) => [name, ...Object.values(attributes), sum])).toEqual([
      ["doorcode.login.deliveries", "delivered", "SMS", "DE", 1],
      ["doorcode.login.deliveries", "undelivered", "SMS", "DE", 1],
      ["doorcode.login.delivery.duration", "SMS", 7],
    ]);
  });

  test("have the seconds that the app took", async () => {
    const sdk = instrument();
    const onLogin = async () => setup.clock.advance(2500).then(() => "user_1");
    const setup = await setUpLogin(host, { login: { onLogin } });
    await setup.loggedIn();
    const series = await sdk.series();
    const sums = ["doorcode.login.callback.duration", "doorcode.login.confirm.duration"].map(
      (wanted) => series.find(({ name }) => name === wanted)?.sum,
    );
    expect(sums).toEqual([2.5, 2.5]);
  });
});

test("a start and a confirmation are spans below the span of their request, and a failure is marked", async () => {
  const sdk = instrument();
  const service = await startScriptedService();
  onTestFinished(() => service.close());
  const clock = createManualClock();
  const codes: CodeStrategyFactory = (tools) => {
    const strategy = serviceOwned.codes(tools);
    return { ...strategy, send: async (...sent) => clock.advance(1500).then(() => strategy.send(...sent)) };
  };
  const serve = phoneLogin(
    createDoorcode({
      clock,
      service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
      session: { password },
      onEvent: () => undefined,
      login: { countries: ["DE"], codes, onLogin: () => "user_1" },
    }),
    { basePath: "/" },
  );
  const tracer = sdk.tracerProvider.getTracer("http");
  const begin = async (body: object) => {
    const parent = tracer.startSpan("POST /login/start");
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
    const request = new Request("http://localhost/start", { method: "POST", headers, body: JSON.stringify(body) });
    await context.with(trace.setSpan(context.active(), parent), () => serve(request, { remoteAddress: "203.0.113.7" }));
    parent.end();
    return parent.spanContext().spanId;
  };
  const parents = [await begin({ phone })];
  service.onCreate = () => ({ status: 503, body: {} });
  parents.push(await begin({ phone: otherPhone }), await begin({ phone: "12" }));

  const spans = sdk.spans().filter(({ name }) => name === "doorcode.login.start");
  expect(spans.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(parents);
  expect(spans.map(({ duration }) => duration)).toEqual([
    [1, 500_000_000],
    [1, 500_000_000],
    [0, 0],
  ]);
  expect(spans.map(({ status }) => status.code)).toEqual([
    SpanStatusCode.UNSET,
    SpanStatusCode.ERROR,
    SpanStatusCode.UNSET,
  ]);
  expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual([
    undefined,
    "service_unavailable",
    "phone_invalid",
  ]);
});

test.each(hosts)("an SDK that throws changes no login and causes one warning, on $name", async (host) => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const meterProvider = {
    getMeter() {
      throw new Error("no meter");
    },
  };
  onTestFinished(instrumentDoorcode({ meterProvider }));
  const { loggedIn } = await setUpLogin(host);
  await expect(loggedIn()).resolves.toBeDefined();
  expect(warn.mock.calls.map(([, options]) => options)).toEqual([
    expect.objectContaining({ code: "opentelemetry_failed" }),
  ]);
});

test.each([
  [500, "session_too_large", true],
  [503, "store_unavailable", true],
  [429, "cooldown", false],
] as const)(
  "a refusal with the status %i is a failure of the app or of the service from 500 on: %s",
  (_status, code, isFailure) => {
    const sdk = instrument();
    channel("doorcode").publish({ type: "login.refused", step: "confirm", code, durationSeconds: 0 });
    const [span] = sdk.spans();
    expect(span?.status.code === SpanStatusCode.ERROR).toBe(isFailure);
  },
);

test.each([
  ["RangeError", "RangeError"],
  ["Failed for +4915112345678", "_OTHER"],
  ["x".repeat(65), "_OTHER"],
])("an error whose name is %s has the type %s", async (name, type) => {
  const sdk = instrument();
  channel("doorcode").publish({ type: "store.failed", error: Object.assign(new Error(), { name }) });
  expect(await sdk.series()).toMatchObject([{ attributes: { "error.type": type } }]);
});

test.each([
  [true, false],
  [false, true],
])(
  "a decision about a known number (%s) or a known device (%s) is one about a known person",
  async (knownNumber, knownDevice) => {
    const sdk = instrument();
    const decision = { type: "login.send_decided", outcome: "allowed", onAlert: false, appOnAlert: false };
    channel("doorcode").publish({ ...decision, knownNumber, knownDevice });
    expect(await sdk.series()).toMatchObject([{ attributes: { "doorcode.login.known": true } }]);
  },
);

test("the instruments are made once, at the first event", async () => {
  const sdk = startSdk();
  const getMeter = vi.spyOn(sdk.meterProvider, "getMeter");
  onTestFinished(instrumentDoorcode(sdk));
  expect(getMeter).toHaveBeenCalledTimes(0);
  for (let event = 0; event < 2; event++) channel("doorcode").publish({ type: "store.failed", error: new Error() });
  expect(getMeter).toHaveBeenCalledTimes(1);
});

test("a handler that throws what cannot be read is counted", async () => {
  const sdk = instrument();
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const handle = () => {
    throw proxy;
  };
  const { deliver } = await setUpWebhooks(hosts[0] as (typeof hosts)[0], { handle });
  await deliver(messageEvent("SENT"));
  const counted = (await sdk.series()).filter(({ name }) => name === "doorcode.webhook.events");
  expect(counted.map(({ attributes }) => attributes["error.type"])).toEqual(["_OTHER"]);
});

test("nothing is recorded after it was stopped", async () => {
  const sdk = startSdk();
  const stop = instrumentDoorcode(sdk);
  const { loggedIn } = await setUpLogin(hosts[0] as (typeof hosts)[0]);
  stop();
  await loggedIn();
  expect([await sdk.series(), sdk.spans()]).toEqual([[], []]);
});
