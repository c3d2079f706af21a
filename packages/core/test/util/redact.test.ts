import { expect, test } from "vitest";
import { createRedaction, printError } from "../../src/util/redact.ts";

test("an error is printed with five of its causes", () => {
  let error = new Error("cause 10");
  for (let depth = 9; depth >= 0; depth--) error = new Error(`cause ${depth}`, { cause: error });
  expect(printError(error).match(/cause \d+/g)).toEqual([0, 1, 2, 3, 4, 5].map((depth) => `cause ${depth}`));
});

test("of a stack only the lines of calls are printed", () => {
  const error = Object.assign(new Error("message"), {
    stack: "Error: message\nINSERT INTO users VALUES ('secret')\n    at run (app.ts:1:2)",
  });
  expect(printError(error)).toBe("Error: message\n    at run (app.ts:1:2)");
});

test("an empty secret masks nothing", () => {
  const { clean, isClean } = createRedaction(["", "key"]);
  expect([clean("the key is wrong"), isClean("req_ab"), isClean("req_key")]).toEqual(["the […] is wrong", true, false]);
});

test("an id with six digits of a secret in a row is not repeated, in any spelling", () => {
  const { isClean } = createRedaction(["+4915123456789"]);
  expect(["req_123456x", "req_12-34.56x", "req_654321x"].map(isClean)).toEqual([false, false, true]);
});
