import { describe, expect, test } from "vitest";
import { createDeadLetters, type DeadLetterEntry, type Inbox } from "../../src/webhooks/inbox.ts";
import { unusedInbox } from "./unused-inbox.ts";

/** Creates the dead letters of an inbox that holds these, and notes the limits with which it is asked. */
function setUp(entries: readonly DeadLetterEntry[]) {
  const limits: number[] = [];
  const inbox: Inbox = {
    ...unusedInbox,
    async deadLetters(limit) {
      limits.push(limit);
      return entries;
    },
  };
  return { deadLetters: createDeadLetters(inbox), limits };
}

describe("the list of dead letters", () => {
  test("has at most a hundred entries, or as many as the caller says", async () => {
    const { deadLetters, limits } = setUp([]);
    await deadLetters.list();
    await deadLetters.list({});
    await deadLetters.list({ limit: 1 });
    expect(limits).toEqual([100, 100, 1]);
  });

  test.each([0, -1, 1.5, Number.NaN, "5"])("refuses the limit %j", async (limit) => {
    const { deadLetters, limits } = setUp([]);
    await expect(deadLetters.list({ limit: limit as number })).rejects.toThrow(/limit: expected a whole number/);
    expect(limits).toEqual([]);
  });
});

test("a dead letter is found by its key, and the engine is not asked for a text that is no key", async () => {
  const asked: (readonly string[])[] = [];
  const letter: DeadLetterEntry = {
    key: "a".repeat(64),
    body: "{",
    error: { name: "Error", code: undefined, message: "no luck" },
    failedAtMilliseconds: 5000,
  };
  const inbox: Inbox = {
    ...unusedInbox,
    async findDeadLetters(keys) {
      asked.push(keys);
      return [letter];
    },
  };
  const found = await createDeadLetters(inbox).find([letter.key, "meta", ""]);
  expect(asked).toEqual([[letter.key]]);
  expect(found).toMatchObject([{ key: letter.key, body: "{", error: letter.error, failedAt: new Date(5000) }]);
});

describe.each(["replay", "discard"] as const)("%s", (name) => {
  test.each(["", "nope", "meta", "A".repeat(64), `x${"a".repeat(64)}`, `${"a".repeat(64)}\n`])(
    "returns false for %j without asking the engine",
    async (key) => {
      expect(await createDeadLetters(unusedInbox)[name](key)).toBe(false);
    },
  );
});
