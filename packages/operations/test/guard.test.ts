import { expect, test } from "vitest";
import { isFromThisMachine } from "../src/guard.ts";

const host = "localhost:3000";

test.each([
  ["127.0.0.1", { host }, true],
  ["::1", { host: "[::1]:3000" }, true],
  ["::ffff:127.0.0.1", { ":authority": host }, true],
  ["127.0.0.1", { host: "app.example.com" }, false],
  ["127.0.0.1", { host: "localhost.example.com" }, false],
  ["127.0.0.1", {}, false],
  ["192.0.2.1", { host }, false],
  ["1270.0.0.1", { host }, false],
  [undefined, { host }, false],
  ["127.0.0.1", { host, "x-forwarded-for": "127.0.0.1" }, false],
  ["127.0.0.1", { host, "x-forwarded-host": host }, false],
  ["127.0.0.1", { host, forwarded: "for=127.0.0.1" }, false],
  ["127.0.0.1", { host, via: "1.1 proxy" }, false],
  ["127.0.0.1", { host, "cdn-loop": "cdn.example" }, false],
  ["127.0.0.1", { host, "x-real-ip": "127.0.0.1" }, false],
  ["127.0.0.1", { host, "cf-connecting-ip": "127.0.0.1" }, false],
  ["127.0.0.1", { host, "fastly-client-ip": "127.0.0.1" }, false],
  ["127.0.0.1", { host, "x-original-forwarded-for": "127.0.0.1" }, false],
  ["127.0.0.1", { host, "x-azure-clientip": "127.0.0.1" }, false],
])("a request from %s with the headers %j is from this machine: %s", (remoteAddress, headers, expected) => {
  expect(isFromThisMachine({ remoteAddress, headers } as never)).toBe(expected);
});
