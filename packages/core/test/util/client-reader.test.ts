import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createClientReader, type ProxyMistake } from "../../src/util/client.ts";
import { createRequest } from "../properties/login-request.ts";

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
