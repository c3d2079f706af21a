import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

const form = { type: "application/x-www-form-urlencoded", body: new URLSearchParams({ phone }).toString() };
const json = { type: "application/json", body: JSON.stringify({ phone }) };
const text = { type: "text/plain", body: JSON.stringify({ phone }) };

const foreign = [403, "foreign_origin"];
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
  ["JSON whose Host is the foreign origin", json, { origin: "https://evil.example", host: "evil.example" }, foreign],
  [
    "JSON whose forwarded host is the foreign origin",
    json,
    { origin: "https://evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
    foreign,
  ],
  ["JSON as text/plain, which any site can post", text, {}, foreign],
  ["JSON of a program that is not a browser", json, {}, sent],
] as const;

/** Only pages of the app, and programs that are not browsers, can make the kit send a code. */
export function describeOrigins(host: AdapterHost): void {
  describe("the origin of a request to send a code", () => {
    test.each(cases)("L11: %s", async (_, { type, body }, headers, [status, code]) => {
      const { open, service } = await setUp(host);
      const answer = await open().send("/login/start", {
        method: "POST",
        headers: { "content-type": type, ...headers },
        body,
      });
      expect([answer.status, answer.json.code]).toEqual([status, code]);
      expect(service.created).toHaveLength(status === 403 ? 0 : 1);
    });
  });
}
