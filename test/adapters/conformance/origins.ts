import { describe, expect, test } from "vitest";
import { phone, setUp } from "../adapter-setup.ts";
import type { AdapterHost } from "../host.ts";

const form = { type: "application/x-www-form-urlencoded", body: new URLSearchParams({ phone }).toString() };
const json = { type: "application/json", body: JSON.stringify({ phone }) };
const text = { type: "text/plain", body: JSON.stringify({ phone }) };

const foreign = [403, "foreign_origin"];
const sent = [200, undefined];
/** Forms are answered with 303, and the code of a refusal stands in `location`. */
const led = [303, undefined];

const cases = [
  ["a form of the site itself", form, { "sec-fetch-site": "same-origin" }, led],
  ["a form of an origin that is listed", form, { origin: "http://localhost:3000" }, led],
  ["a form of another site", form, { "sec-fetch-site": "cross-site" }, foreign],
  ["a form of a subdomain", form, { "sec-fetch-site": "same-site" }, foreign],
  ["a form without a page", form, { "sec-fetch-site": "none" }, foreign],
  ["a form of a foreign origin", form, { origin: "https://evil.example" }, foreign],
  ["a form of an opaque origin", form, { origin: "null" }, foreign],
  ["a form that does not say where it comes from", form, {}, foreign],
  ["JSON of another site", json, { "sec-fetch-site": "cross-site" }, foreign],
  ["JSON of a foreign origin", json, { origin: "https://evil.example" }, foreign],
  ["JSON whose Host is the foreign origin", json, { origin: "https://evil.example", host: "evil.example" }, foreign],
  [
    "JSON whose forwarded host is the foreign origin",
    json,
    { origin: "https://evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
    foreign,
  ],
  ["JSON in text/plain, which a page may post anywhere", text, {}, foreign],
  ["JSON of no browser", json, {}, sent],
] as const;

/** L11: only the app's own pages, and what is no browser, get a code sent. */
export function describeOrigins(host: AdapterHost): void {
  describe("same origin", () => {
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
