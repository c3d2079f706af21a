import { describe, expect, test } from "vitest";
import { requestToHost } from "../../support/request-to-host.ts";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

const form = { type: "application/x-www-form-urlencoded", body: new URLSearchParams({ phone }).toString() };
const json = { type: "application/json", body: JSON.stringify({ phone }) };
const text = { type: "text/plain", body: JSON.stringify({ phone }) };

const foreign = [403, "foreign_origin"];
/** The host that a proxy was asked for is not this machine. */
const elsewhere = [403, "host_not_allowed"];
const sent = [200, undefined];
/** A form is answered with 303. */
const redirected = [303, undefined];

const cases = [
  ["a form of the same site", form, { "sec-fetch-site": "same-origin" }, redirected],
  ["a form of a listed origin", form, { origin: "http://localhost:3000" }, redirected],
  ["a form of another site", form, { "sec-fetch-site": "cross-site" }, foreign],
  ["a form of a subdomain", form, { "sec-fetch-site": "same-site" }, foreign],
  ["a form that the user opened directly", form, { "sec-fetch-site": "none" }, foreign],
  ["a form of a foreign origin", form, { origin: "https://evil.example" }, foreign],
  ["a form of an opaque origin", form, { origin: "null" }, foreign],
  ["a form without a header that names its origin", form, {}, foreign],
  ["JSON of another site", json, { "sec-fetch-site": "cross-site" }, foreign],
  ["JSON of a foreign origin", json, { origin: "https://evil.example" }, foreign],
  ["JSON whose Host is the foreign origin", json, { origin: "https://evil.example", host: "evil.example" }, elsewhere],
  [
    "JSON whose forwarded host is the foreign origin",
    json,
    { origin: "https://evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
    elsewhere,
  ],
  ["JSON as text/plain, which any site can post", text, {}, foreign],
  ["JSON of a program that is not a browser", json, {}, sent],
] as const;

/** Requests that reach a public address of an app whose kit has no `origins`. */
const elsewhereCases = [
  ["a public host", { host: "app.example.com" }, "host_not_allowed"],
  ["a public address", { host: "192.0.2.7:3000" }, "host_not_allowed"],
  ["a name that only begins like this machine", { host: "localhost.example.com" }, "host_not_allowed"],
  ["a proxy that forwards its host", { "x-forwarded-host": "app.example.com" }, "host_not_allowed"],
  [
    "a proxy that does not forward its host",
    { origin: "https://app.example.com", "sec-fetch-site": "same-origin" },
    "foreign_origin",
  ],
] as const;

/** Only pages of the app, and programs that are not browsers, can make the kit send a code. */
export function describeOrigins(host: AdapterHost): void {
  describe("the origin of a request to send a code", () => {
    test.each(cases)("L11: %s", async (_, { type, body }, headers, [status, code]) => {
      const { url, service } = await setUp(host);
      const answer = await requestToHost(`${url}/login/start`, {
        method: "POST",
        headers: { "content-type": type, ...headers },
        body,
      });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
      expect(service.created).toHaveLength(status === 403 ? 0 : 1);
    });
  });

  describe("the host of a request, when the kit has no origins", () => {
    test.each(elsewhereCases)("L32: no login starts on %s", async (_, headers, code) => {
      const { url, service } = await setUp(host);
      const answer = await requestToHost(`${url}/login/start`, {
        method: "POST",
        headers: { "content-type": json.type, ...headers },
        body: json.body,
      });
      expect([answer.status, answer.json.code]).toEqual([403, code]);
      expect(service.created).toHaveLength(0);
    });

    test("L32: neither state nor session is served on a public host, and the refusal says what to set", async () => {
      const { url, loggedIn, faults } = await setUp(host);
      const browser = await loggedIn();
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const get = (path: string) => requestToHost(url + path, { headers: { host: "app.example.com", cookie } });
      const [state, guarded, read] = [await get("/login/state"), await get("/account"), await get("/who")];

      expect([state, guarded].map(({ status, json }) => [status, json.code])).toEqual([
        [403, "host_not_allowed"],
        [403, "host_not_allowed"],
      ]);
      expect(state.json.detail).toContain('origins: ["https://app.example.com"]');
      expect([read.status, faults]).toEqual([500, [expect.objectContaining({ code: "host_not_allowed" })]]);
      expect((await browser.get("/account")).status).toBe(200);
    });
  });
}
