import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createClientReader,
  isPublicAddress,
  type ProxyMistake,
  parseClientAddress,
  summarizeClient,
  trustsEverybody,
} from "../../src/util/client.ts";
import { createRequest } from "../properties/login-request.ts";

describe("the address of a client", () => {
  test.each([
    undefined,
    "",
    "unknown",
    "203.0.113.7, 198.51.100.1",
    "203.0.113.007",
    "203.0.113.7%eth0",
    "2001:db8::1::2",
    "/var/run/app.sock",
  ])("L13: %s shares the one bucket of unknown clients", (text) => {
    expect(parseClientAddress(text)).toEqual({ address: "unknown", network: "unknown" });
  });
});

describe("a public address", () => {
  test.each(["203.0.113.7", "172.32.0.1", "172.15.255.255", "100.128.0.1", "2001:db8::1", "::ffff:8.8.8.8"])(
    "%s",
    (text) => {
      expect(isPublicAddress(text)).toBe(true);
    },
  );

  test.each([
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1:80",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "fd12:3456::1",
    "fe80::1%eth0",
    "0.0.0.0",
    "unknown",
    undefined,
  ])("is not %s", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});

beforeEach(() => void vi.spyOn(process, "emitWarning").mockImplementation(() => undefined));

afterEach(() => void vi.restoreAllMocks());

/** Returns the mistakes that a mount finds by one request. */
function mistakesOf(remoteAddress: string | undefined, headers: Record<string, string>): readonly ProxyMistake[] {
  const mistakes: ProxyMistake[] = [];
  const readClient = createClientReader((mistake) => mistakes.push(mistake), { fix: "", trustsEverybody: () => false });
  readClient({ ...createRequest(headers, { parsed: {} }), remoteAddress }, undefined);
  return mistakes;
}

describe("L13: a forwarded header that the app has ignored is a warning", () => {
  test.each([
    ["forwarded", 'for="[2001:db8::7]:4711";proto=https'],
    ["forwarded", 'for="192.168.1.20:4711"'],
    ["x-forwarded-for", "203.0.113.7"],
    ["x-forwarded-for", "192.168.1.20"],
    ["x-forwarded-for", "203.0.113.7:4711, 10.0.0.5"],
    ["x-real-ip", "203.0.113.7"],
    ["x-client-ip", "203.0.113.7"],
    ["true-client-ip", "203.0.113.7"],
    ["cf-connecting-ip", "203.0.113.7"],
    ["fly-client-ip", "203.0.113.7"],
  ])("%s: %s", (name, value) => {
    for (const address of ["10.0.0.5", "::1", undefined]) {
      expect(mistakesOf(address, { [name]: value })).toEqual(["header_ignored"]);
    }
  });
});

describe("no warning for", () => {
  test.each([
    ["a client on the internet", "203.0.113.7", { "x-forwarded-for": "203.0.113.7" }],
    ["a client on the internet who sends the header", "203.0.113.7", { "x-forwarded-for": "198.51.100.1" }],
    ["a client in the private network of the app", "192.168.1.20", { "x-forwarded-for": "192.168.1.20, 10.0.0.5" }],
    ["such a client behind a proxy that sends Forwarded", "fd12::7", { forwarded: 'for="[fd12::7]:4711"' }],
    ["a host that does not know the address, without a proxy", undefined, {}],
    ["an empty header, as some proxies send it", "127.0.0.1", { "x-forwarded-for": "" }],
    ["a header that names no client", "127.0.0.1", { "x-forwarded-proto": "https", "x-forwarded-host": "localhost" }],
  ])("%s", (_who, address, headers) => {
    expect(mistakesOf(address, headers)).toEqual([]);
  });
});

const mozilla = "Mozilla/5.0";
const gecko = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  ["Chrome on Windows", `${mozilla} (Windows NT 10.0; Win64; x64) ${gecko} Chrome/142.0.0.0 Safari/537.36`],
  ["Edge on Windows", `${mozilla} (Windows NT 10.0; Win64; x64) ${gecko} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`],
  [
    "Opera on macOS",
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) ${gecko} Chrome/142.0.0.0 Safari/537.36 OPR/126.0`,
  ],
  ["Firefox on macOS", `${mozilla} (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0`],
  ["Chrome on Android", `${mozilla} (Linux; Android 10; K) ${gecko} Chrome/142.0.0.0 Mobile Safari/537.36`],
  [
    "Samsung Internet on Android",
    `${mozilla} (Linux; Android 10; K) ${gecko} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
  ],
  ["Safari on iPhone", `${mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.0 Mobile/15E148 Safari/604.1`],
  ["Chrome on iPhone", `${mozilla} (iPhone; CPU iPhone OS 18_7 like Mac OS X) CriOS/142.0 Mobile/15E148 Safari/604.1`],
  ["Firefox on iPad", `${mozilla} (iPad; CPU OS 18_7 like Mac OS X) FxiOS/145.0 Mobile/15E148 Safari/604.1`],
  ["Chrome on ChromeOS", `${mozilla} (X11; CrOS x86_64 14541.0.0) ${gecko} Chrome/142.0.0.0 Safari/537.36`],
  ["Linux", `${mozilla} (X11; Linux x86_64) Example/1.0`],
  [undefined, "okhttp/5.3.0"],
  [undefined, undefined],
])("calls a client %s by its User-Agent %s", (summary, userAgent) => {
  expect(summarizeClient({ headers: { "user-agent": userAgent } })).toBe(summary);
});

test("the setting of the app is asked once, at the first request", () => {
  let asked = 0;
  const trusts = () => {
    asked += 1;
    return false;
  };
  const readClient = createClientReader(() => undefined, { fix: "", trustsEverybody: trusts });
  for (let request = 0; request < 2; request++) {
    readClient({ ...createRequest({}, { parsed: {} }), remoteAddress: "203.0.113.7" }, undefined);
  }
  expect(asked).toBe(1);
});

test.each([
  [0, false],
  [1, false],
  [10, false],
  [Number.POSITIVE_INFINITY, true],
])("a framework that believes %d proxies believes everybody: %s", (proxies, expected) => {
  const trusts = trustsEverybody(({ socket, headers }) => {
    const hops = [...(headers["x-forwarded-for"] ?? "").split(", "), socket.remoteAddress].reverse();
    return hops[Math.min(proxies, hops.length - 1)];
  });
  expect(trusts).toBe(expected);
});
