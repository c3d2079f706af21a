import { describe, expect, test } from "vitest";
import { isPublicAddress, parseClientAddress } from "../../src/util/client.ts";

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
    "fd12:3456::1",
    "fe80::1%eth0",
    "0.0.0.0",
    "unknown",
    undefined,
  ])("is not %s", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
