import { describe, expect, test } from "vitest";
import { createCookie } from "../../src/util/headers.ts";

const cookie = createCookie("kit", false);

describe("a cookie is read from", () => {
  test.each([
    ["a header of its own", "kit=value"],
    ["the beginning", "kit=value; other=1"],
    ["the end", "other=1; kit=value"],
    ["the middle, behind a value that has its name", "other=kit; kit=value; another=1"],
    ["a header without spaces", "other=1;kit=value;another=1"],
    ["between spaces and tabs", "other=1; kit \t= \tvalue\t ; another=1"],
    ["behind a tab, in front of one", "other=1;\tkit=value\t; another=1"],
    ["a header with a tab at its end", "kit=value\t"],
    ["a header with spaces around the value", "kit= value ; other=1"],
    ["an encoded value", "kit=%76alue"],
    ["the first of two with its name", "kit=value; kit=another"],
    ["the first of two with its name, in another spelling", "kit =value; kit=another"],
    ["behind longer names that have its name", "kit-device=1; a-kit=2; kits=3; kit=value"],
  ])("%s", (_place, header) => {
    expect(cookie.read({ cookie: header })).toBe("value");
  });
});

test.each([
  "kit",
  "kit=",
  "other=kit=value",
  "a-kit=value",
  "kits=value",
  "other; akit=value",
  "kit; other=1",
  "other=1 kit=value",
])("no cookie is read from %s", (header) => {
  expect(cookie.read({ cookie: header })).toBeUndefined();
});
