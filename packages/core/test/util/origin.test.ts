import { describe, expect, test } from "vitest";
import { decideOrigins, isLoopbackOrigin, isSameOrigin, isWebPage } from "../../src/util/origin.ts";

test.each([
  ["http://localhost:3000", true],
  ["http://app.localhost", true],
  ["https://127.8.8.8", true],
  ["http://[::1]:3000", true],
  ["http://evil-localhost", false],
  ["http://localhost.evil.example", false],
  ["http://127.0.0.1.evil.example", false],
  ["capacitor://localhost", false],
  ["null", false],
])("%s is an origin of this machine: %s", (origin, expected) => {
  expect(isLoopbackOrigin(origin)).toBe(expected);
});

describe("a POST from a page of this machine", () => {
  test.each([
    ["loopback", "localhost:3000", true],
    ["private-network", "127.0.0.1:3000", true],
    ["private-network", "192.168.1.20:3000", false],
  ] as const)("to an app with the origins %s, whose host is %s, is one of its own: %s", (origins, host, expected) => {
    expect(isSameOrigin({ headers: { host, origin: "http://localhost:3000" } }, origins, true)).toBe(expected);
  });
});

test.each([
  [{}, false],
  [{ "sec-fetch-site": "cross-site" }, true],
  [{ "sec-fetch-site": "same-origin", origin: "capacitor://localhost" }, true],
  [{ "sec-fetch-site": "cross-site", origin: "capacitor://localhost" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, true],
  [{ "sec-fetch-site": "cross-site", origin: "null" }, true],
])("a POST with the headers %j comes from a page of a website: %s", (headers, expected) => {
  expect(isWebPage({ headers })).toBe(expected);
});

test("the origins of this machine are all http or all https", () => {
  const [http, https] = ["http://localhost:3000", "https://localhost:3001"];
  const decide = (origins: readonly string[]) => decideOrigins(origins, { production: false });
  expect([decide([http]).secure, decide([https]).secure]).toEqual([false, true]);
  expect(() => decide([http, https])).toThrow("origins must be all https, or all http");
});
