import { describe, expect, test } from "vitest";
import { createCarriers, createCookie } from "../../src/sessions/transport.ts";

const cookieOf = (name: string) => createCookie(name, false);
const cookies = { login: cookieOf("a"), link: cookieOf("b"), step_up: cookieOf("c"), verify: cookieOf("c") };
const carriers = createCarriers("login", cookies, cookieOf("device"));

/** The four ways in which ids travel, each with the headers of a request that carries a text in that way. */
const ways = [
  ["the cookie of a transaction", carriers.cookie.transaction, (id: string) => ({ cookie: `a=${id}` })],
  ["the cookie of a device", carriers.cookie.device, (id: string) => ({ cookie: `device=${id}` })],
  ["the token of a transaction", carriers.bearer.transaction, (id: string) => ({ "doorcode-transaction": id })],
  ["the token of a device", carriers.bearer.device, (id: string) => ({ "doorcode-device": id })],
] as const;

test("a cookie without a value is none", () => {
  expect(cookieOf("a").read({ cookie: "a=; b=2" })).toBeUndefined();
});

describe.each(ways)("%s", (_what, carrier, headersWith) => {
  test("is read in the form that the kit issues, and in no other one", () => {
    const id = carrier.newId();
    expect(carrier.read(headersWith(id))).toBe(id);
    for (const text of ["", "short", `${id}x`, `x${id}`, `${id.slice(1)}.`, id.slice(0, -1)]) {
      expect(carrier.read(headersWith(text))).toBeUndefined();
    }
    expect(carrier.read({})).toBeUndefined();
  });

  test("is never read where a token of another kind travels, and an id of a token in no cookie", () => {
    const isToken = carrier.newId().includes(".");
    // Two cookies have names of their own, and ids of one form.
    const others = ways.filter(([, other]) => other !== carrier && (isToken || other.newId().includes(".")));
    expect(others.length).toBeGreaterThan(1);
    for (const [, other, headersWithOther] of others) {
      expect(other.read(headersWithOther(carrier.newId()))).toBeUndefined();
    }
  });
});
