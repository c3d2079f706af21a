import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../src/index.ts";
import { control } from "./support/control.ts";
import { addReceiver } from "./support/receiver.ts";
import { listRoutes, pathOf, type Route } from "./support/routes.ts";
import { messageRequest, phone, refused, start, verificationRequest } from "./support/start.ts";

const all = await listRoutes();
const routes = all.filter(({ path }) => /^\/(v1|_sandbox)\//.test(path));
const forms = all.filter(({ method, path }) => method === "POST" && !/^\/(v1|_sandbox)\//.test(path));
const encoded = encodeURIComponent(phone);

/** A valid body for each route, by the end of its path. */
const bodies: Readonly<Record<string, unknown>> = {
  "POST /messages": messageRequest(),
  "POST /verifications": verificationRequest(),
  "POST /verifications/confirmation/:verification_id": { otp_code: "123456" },
  "POST /account/senders": { name: "Shop" },
  "POST /account/numbers": { phone, applicationId: "default" },
  "POST /applications": { name: "Shop" },
  "PATCH /application": {
    name: "Shop",
    templates: { login: "{{code}}" },
    users: [{ email: "ada@example.com", role: "admin" }],
    settings: { codeDigits: 6, requestsPerSecond: 0 },
    dialect: { envelope: "type" },
    behaviours: { DE: "slow" },
    codes: { [phone]: "1234" },
  },
  "POST /endpoints": { url: "http://localhost:1/", events: ["verification.update"] },
  "PATCH /endpoints/:endpoint": { events: ["verification.update"] },
  "POST /events": { events: [] },
  "PUT /clock": { mode: { scale: 2 } },
  "POST /clock/advance": { by: "1h12m30s" },
  "POST /faults": { on: "POST /messages", action: { type: "answer", status: 503 }, times: 1 },
};

function bodyFor({ method, path }: Route): unknown {
  return bodies[`${method} ${path.replace(/^\/_sandbox(\/applications\/:application)?(?=\/)|^\/v1/, "")}`];
}

/** Returns the part of a path that `control` expects. */
const below = (path: string) => path.replace("/_sandbox", "");

describe("a route of the control API", () => {
  const ofApplications = routes.filter(({ path }) => path.includes("/:application/"));

  test("exists for an application by its id, as for the default one", () => {
    const named = (list: readonly Route[]) => list.map(({ method, path }) => `${method} ${path}`);
    const withoutId = ofApplications.map(({ method, path }) => ({
      method,
      path: path.replace("/applications/:application", ""),
    }));
    expect(withoutId.length).toBeGreaterThan(25);
    expect(named(routes)).toEqual(expect.arrayContaining(named(withoutId)));
  });

  test.each(ofApplications)("is 404 for an unknown application: $method $path", async (route) => {
    const { sandbox } = await start({ port: "none" });
    const query = route.path.endsWith("/wait") ? `?to=${encoded}&timeout=0` : "";
    for (const id of ["app_1", "__proto__", "%2F"]) {
      const path = `${below(pathOf(route, id))}${query}`;
      expect(await control(sandbox, route.method, path, bodyFor(route))).toMatchObject(
        refused(404, "sandbox.application_unknown"),
      );
    }
  });

  test.each([
    ["DELETE", "/inbox/msg_1", undefined, "message_unknown"],
    ["GET", `/inbox/wait?to=${encoded}&after=msg_1`, undefined, "message_unknown"],
    ["GET", `/inbox/wait?to=${encoded}&timeout=0`, undefined, "message_missing"],
    ["GET", "/deliveries/wait?timeout=0", undefined, "delivery_missing"],
    ["PATCH", "/endpoints/end_1", { events: ["verification.update"] }, "endpoint_unknown"],
    ["DELETE", "/endpoints/end_1", undefined, "endpoint_unknown"],
    ["POST", "/endpoints/end_1/enable", undefined, "endpoint_unknown"],
    ["POST", "/deliveries/dlv_1/send_again", undefined, "delivery_unknown"],
    ["DELETE", "/faults/flt_1", undefined, "fault_unknown"],
    ["DELETE", "/account/senders/Stranger", undefined, "sender_unknown"],
    ["DELETE", `/account/numbers/${encoded}`, undefined, "number_unknown"],
    ["POST", "/account/numbers", { phone, applicationId: "app_1" }, "application_unknown"],
  ])("is 404 for an unknown id: %s %s", async (method, path, given, code) => {
    const { sandbox } = await start({ port: "none" });
    expect(await control(sandbox, method, path, given)).toMatchObject(refused(404, `sandbox.${code}`));
  });

  test.each([
    ["POST", "/endpoints", { url: "http://localhost:1/" }, "endpoint_taken", "url"],
    ["POST", "/account/senders", { name: "Shop" }, "sender_taken", "name"],
    ["POST", "/account/numbers", { phone, applicationId: "default" }, "number_taken", "phone"],
  ])("is 409 for what already exists: %s %s", async (method, path, given, code, field) => {
    const { sandbox } = await start({ port: "none" });
    expect((await control(sandbox, method, path, given)).status).toBe(201);
    expect(await control(sandbox, method, path, given)).toMatchObject(refused(409, `sandbox.${code}`, field));
  });

  test.each([
    ["POST", "/endpoints", {}, "url"],
    ["POST", "/endpoints", { url: "http://localhost:1/", events: [] }, "events"],
    ["POST", "/endpoints", { url: "http://localhost:1/", events: ["all"] }, "events[0]"],
    ["POST", "/endpoints", { url: "http://localhost:1/", secret: "x" }, "secret"],
    ["PATCH", "/endpoints/end_1", {}, "events"],
    ["PATCH", "/endpoints/end_1", { events: "all" }, "events"],
    ["PUT", "/clock", {}, "mode"],
    ["PUT", "/clock", { mode: { scale: 0 } }, "mode.scale"],
    ["POST", "/clock/advance", {}, "by"],
    ["POST", "/clock/advance", { by: "an hour" }, "by"],
    ["POST", "/account/senders", {}, "name"],
    ["GET", "/inbox?to=0151", undefined, "to"],
    // An unencoded plus sign is a space.
    ["GET", `/inbox?to=${phone}`, undefined, "to"],
    ["GET", "/inbox/wait", undefined, "to"],
    ["GET", `/inbox/wait?to=${encoded}&timeout=soon`, undefined, "timeout"],
    ["GET", `/inbox/wait?to=${encoded}&timeout=301`, undefined, "timeout"],
    ["GET", "/deliveries/wait?timeout=-1", undefined, "timeout"],
    ["GET", "/deliveries/wait?event=all", undefined, "event"],
    ["GET", "/deliveries/wait?status=lost", undefined, "status"],
    ["GET", "/deliveries/wait?to=0151", undefined, "to"],
  ])("is 422 with the invalid field: %s %s %j", async (method, path, given, field) => {
    const { sandbox } = await start({ port: "none" });
    const { status, body } = await control(sandbox, method, path, given);
    expect({ status, ...body }).toMatchObject({ status: 422, error_code: "request.invalid", field });
    expect(body?.error_message).toEqual(expect.any(String));
    expect([sandbox.endpoints.list(), sandbox.clock.mode(), sandbox.account.get().senders.length]).toEqual([
      [],
      "real",
      1,
    ]);
  });

  test.each(routes.filter((route) => bodyFor(route) !== undefined && route.path.startsWith("/_sandbox")))(
    "accepts only JSON: $method $path",
    async (route) => {
      const { sandbox } = await start({ port: "none" });
      const ask = async (body: string, type: string) => {
        const init = { method: route.method, body, headers: { "Content-Type": type } };
        const response = await sandbox.fetch(new Request(`${sandbox.url}${pathOf(route)}`, init));
        return [response.status, ((await response.json()) as { error_code: string }).error_code];
      };
      expect(await ask("{}", "text/plain")).toEqual([415, "request.unsupported_media_type"]);
      expect(await ask("{", "application/json")).toEqual([400, "request.malformed"]);
      expect(await ask(" ".repeat(1_048_577), "application/json")).toEqual([413, "request.too_large"]);
    },
  );
});

describe("a wrong method", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const matches = (route: Route, path: string) => new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(path);
  const paths = [...new Set(routes.map((route) => pathOf(route)))];

  test.each(paths)("is 405 with the allowed methods: %s", async (path) => {
    const { sandbox } = await start({ port: "none" });
    const headers = { "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    const right = new Set(routes.filter((route) => matches(route, path)).map(({ method }) => method));
    if (right.has("GET")) right.add("HEAD");
    for (const method of methods.filter((each) => !right.has(each))) {
      const response = await sandbox.fetch(new Request(`${sandbox.url}${path}`, { method, headers }));
      expect([method, response.status, response.headers.get("allow")?.split(", ").sort()]).toEqual([
        method,
        405,
        [...right].sort(),
      ]);
      expect(await response.json()).toMatchObject({ error_code: "request.method_not_allowed" });
    }
  });
});

describe("no answer is 500 or something else than JSON, and the sandbox keeps running", () => {
  const written = routes.filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method));
  const oddities = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(null, "", 0, -1, 1e308, "__proto__", "constructor", "\ud800", phone, [], {}, "1h", "real", [[]]),
  );

  /** Generates a valid body and replaces one of its members, at any depth. */
  function spoiled(body: unknown): fc.Arbitrary<unknown> {
    if (typeof body !== "object" || body === null) return oddities;
    const keys = Object.keys(body);
    if (keys.length === 0) return oddities;
    const spoilOne = (key: string) =>
      spoiled(Reflect.get(body, key)).map((value) => {
        const copy: unknown = structuredClone(body);
        if (typeof copy === "object" && copy !== null) Reflect.set(copy, key, value);
        return copy;
      });
    return fc.oneof(
      { weight: 1, arbitrary: oddities },
      { weight: 6, arbitrary: fc.constantFrom(...keys).chain(spoilOne) },
    );
  }

  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.constantFrom("", "{", "null", '{"__proto__":1}'),
  );
  const contentTypes = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("application/json", "application/json; charset=x") },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "") },
  );
  const ids = fc.oneof(fc.constantFrom("unknown", "%", "%E0%A4%A", "..", "%2e%2e", "__proto__"), fc.webSegment());
  const requests = fc.constantFrom(...written).chain((route) =>
    fc.record({
      route: fc.constant(route),
      id: ids,
      contentType: contentTypes,
      text: fc.oneof(
        { weight: 1, arbitrary: texts },
        { weight: 8, arbitrary: spoiled(bodyFor(route) ?? {}).map((body) => JSON.stringify(body)) },
      ),
    }),
  );

  async function ask(
    sandbox: Sandbox,
    { route, id, contentType, text }: { route: Route; id: string; contentType: string; text: string },
  ) {
    const path = route.path.replace(":application", "default").replaceAll(/:\w+/g, id);
    const headers = { "Content-Type": contentType, "X-API-KEY": sandbox.env.SERVICE_API_KEY };
    const response = await sandbox.fetch(
      new Request(`${sandbox.url}${path}`, { method: route.method, headers, body: text }),
    );
    const answer = await response.text();
    // A fault of an earlier request could answer with any status.
    sandbox.faults.clear();
    return { path: `${route.method} ${path}`, status: response.status, isJson: answer === "" || isJson(answer) };
  }

  test("for hundreds of bodies on every route with a body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 10, maxLength: 10 }), async (all) => {
        const { sandbox } = await start({ port: "none", clock: "frozen" });
        addReceiver(sandbox);
        for (const each of all)
          expect(await ask(sandbox, each)).toMatchObject({ status: expect.toSatisfy(isSane), isJson: true });
        await sandbox.clock.advance("1m");
        expect((await control(sandbox, "GET", "/application")).status).toBe(200);
        await sandbox.close();
      }),
      { numRuns: 60, seed: 20_260_921 },
    );
  });

  test("for hundreds of forms of the page, which are not answered with JSON", async () => {
    const names = fc.constantFrom("name", "by", "mode", "url", "phone", "email", "code", "text", "events", "__proto__");
    const form = fc.dictionary(names, fc.oneof(fc.string(), fc.constantFrom(phone, "1h", "frozen", "[]")), {
      maxKeys: 4,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...forms), form, ids), { maxLength: 10 }), async (sent) => {
        const { sandbox } = await start({ port: "none", clock: "frozen" });
        for (const [{ path }, fields, id] of sent) {
          const target = `${sandbox.url}${path.replace(":application", "default").replaceAll(/:\w+/g, id)}`;
          const init = { method: "POST", body: new URLSearchParams(fields) };
          expect((await sandbox.fetch(new Request(target, init))).status).toSatisfy(isSane);
        }
        await sandbox.close();
      }),
      { numRuns: 40, seed: 20_260_921 },
    );
  });

  test("for hundreds of queries on every GET route", async () => {
    const { sandbox } = await start({ port: "none", clock: "frozen" });
    const read = all.filter(({ method, path }) => method === "GET" && !path.endsWith("/changes"));
    const names = fc.constantFrom("to", "after", "event", "eventStatus", "status", "__proto__", "q");
    const query = fc.dictionary(names, fc.oneof(fc.string(), fc.constantFrom(phone, "failed")), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...read), query, ids, async ({ path }, parameters, id) => {
        const search = new URLSearchParams({ ...parameters, timeout: "0" });
        const target = `${sandbox.url}${path.replace(":application", "default").replaceAll(/:\w+/g, id)}?${search}`;
        const { status } = await sandbox.fetch(
          new Request(target, { headers: { "X-API-KEY": sandbox.env.SERVICE_API_KEY } }),
        );
        expect(status).toSatisfy(isSane);
      }),
      { numRuns: 300, seed: 20_260_921 },
    );
  });
});

function isSane(status: number): boolean {
  return status >= 200 && status < 500;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
