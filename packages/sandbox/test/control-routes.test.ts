import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { control } from "./support/control.ts";
import { addReceiver } from "./support/receiver.ts";
import { listRoutes, pathOf, type Route } from "./support/routes.ts";
import { messageRequest, phone, refused, start, verificationRequest } from "./support/start.ts";

const all = await listRoutes();
const routes = all.filter(({ path }) => /^\/(v1|_sandbox)\//.test(path));
const isOfPage = ({ path }: Route) => !/^\/(v1|_sandbox)\//.test(path) || path.startsWith("/_sandbox/page/");
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

describe("any request is answered by another status than 500, and by JSON outside of the page", () => {
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

  const values = fc.oneof(fc.string(), fc.constantFrom(phone, "1h", "frozen", "failed", "[]"));
  const fieldsOf = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 });
  const queries = fieldsOf("to", "after", "event", "eventStatus", "status", "__proto__", "q");
  const forms = fieldsOf("name", "by", "mode", "url", "phone", "email", "code", "text", "events", "__proto__");
  const contentTypes = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("application/json", "application/json; charset=x") },
    { weight: 1, arbitrary: fc.constantFrom("text/plain", "") },
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.constantFrom("", "{", "null", '{"__proto__":1}'),
  );
  const ids = fc.oneof(fc.constantFrom("unknown", "%", "%E0%A4%A", "..", "%2e%2e", "__proto__"), fc.webSegment());

  /** The body and the content type of a request to a route: a form for the page, and JSON for the others. */
  function contentFor(route: Route): fc.Arbitrary<readonly [type: string, body: string | URLSearchParams] | undefined> {
    if (!["POST", "PUT", "PATCH"].includes(route.method)) return fc.constant(undefined);
    if (isOfPage(route)) {
      return forms.map((fields) => ["application/x-www-form-urlencoded", new URLSearchParams(fields)] as const);
    }
    const bodies = spoiled(bodyFor(route) ?? {}).map((body) => JSON.stringify(body));
    return fc.tuple(contentTypes, fc.oneof({ weight: 1, arbitrary: texts }, { weight: 8, arbitrary: bodies }));
  }

  const asked = all.filter(({ path }) => !path.endsWith("/changes"));
  const requests = fc
    .constantFrom(...asked)
    .chain((route) => fc.record({ route: fc.constant(route), id: ids, query: queries, content: contentFor(route) }));

  test("for hundreds of random requests, after which the sandbox goes on", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { minLength: 10, maxLength: 10 }), async (sent) => {
        const { sandbox } = await start({ port: "none", clock: "frozen" });
        addReceiver(sandbox);
        for (const { route, id, query, content: [type, body] = [] } of sent) {
          const path = route.path.replace(":application", "default").replaceAll(/:\w+/g, id);
          const target = `${sandbox.url}${path}?${new URLSearchParams({ ...query, timeout: "0" })}`;
          const headers = {
            "X-API-KEY": sandbox.env.SERVICE_API_KEY,
            ...(type !== undefined && { "Content-Type": type }),
          };
          const init = { method: route.method, headers, ...(body !== undefined && { body }) };
          const response = await sandbox.fetch(new Request(target, init));
          const answer = { status: response.status, text: await response.text() };
          expect(answer.status).toSatisfy((status: number) => status >= 200 && status < 500);
          if (!isOfPage(route)) expect(answer.text).toSatisfy(isJson);
          // A fault of an earlier request could answer with any status.
          sandbox.faults.clear();
        }
        await sandbox.clock.advance("1m");
        expect((await control(sandbox, "GET", "/application")).status).toBe(200);
        await sandbox.close();
      }),
      { numRuns: 120, seed: 20_260_921 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    return text === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
