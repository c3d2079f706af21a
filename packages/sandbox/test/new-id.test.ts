import { expect, test } from "vitest";
import { newId } from "../src/state/record.ts";

test("ids are random, and no two are the same, also when the random bytes of many ids are used up", () => {
  const ids = Array.from({ length: 2_000 }, () => newId("msg"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^msg_[0-9a-f]{24}$/.test(id))).toEqual([]);
  // Each hexadecimal digit stands in each place of some of them.
  const places = Array.from({ length: 24 }, (_, place) => new Set(ids.map((id) => id[4 + place])).size);
  expect(places).toEqual(Array.from({ length: 24 }, () => 16));
});
