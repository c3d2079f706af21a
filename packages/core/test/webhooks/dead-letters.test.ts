import { describe, expect, test } from "vitest";
import { createDeadLetters, type DeadLetterEntry, type Inbox } from "../../src/webhooks/inbox.ts";
import { messageEvent } from "./receiver-setup.ts";

const unused = () => Promise.reject(new Error("Not used in this test."));

const noInbox: Inbox = { add: unused, work: unused, deadLetters: unused, replay: unused, close: unused };

/** Creates the dead letters of an inbox that holds these, and notes the limits with which it is asked. */
function setUp(entries: readonly DeadLetterEntry[]) {
  const limits: number[] = [];
  const inbox: Inbox = {
    ...noInbox,
    async deadLetters(limit) {
      limits.push(limit);
      return entries;
    },
  };
  return { deadLetters: createDeadLetters(inbox), limits };
}

describe("the list of dead letters", () => {
  test("holds the event, its body, the error and the time of the last failure", async () => {
    const event = messageEvent("SENT", 1);
    const error = { name: "Error", code: undefined, message: "the app's database is down" };
    const failedAtMilliseconds = Date.UTC(2026, 8, 21);
    const entries = [
      { key: event.key, body: event.body, error, failedAtMilliseconds },
      { key: "f".repeat(64), body: "not JSON", error, failedAtMilliseconds },
    ];
    expect(await setUp(entries).deadLetters.list()).toEqual([
      { key: event.key, event, body: event.body, error, failedAt: new Date(failedAtMilliseconds) },
      {
        key: "f".repeat(64),
        event: { unreadable: "not_json" },
        body: "not JSON",
        error,
        failedAt: new Date(failedAtMilliseconds),
      },
    ]);
  });

  test("has at most a hundred entries, or as many as the caller says", async () => {
    const { deadLetters, limits } = setUp([]);
    await deadLetters.list();
    await deadLetters.list({});
    await deadLetters.list({ limit: 1 });
    expect(limits).toEqual([100, 100, 1]);
  });

  test.each([0, -1, 1.5, Number.NaN, "5"])("refuses the limit %j", async (limit) => {
    const { deadLetters, limits } = setUp([]);
    await expect(deadLetters.list({ limit: limit as number })).rejects.toThrow(/limit must be a whole number/);
    expect(limits).toEqual([]);
  });
});

describe("replay", () => {
  test.each(["", "nope", "meta", "A".repeat(64), `x${"a".repeat(64)}`, `${"a".repeat(64)}\n`])(
    "returns false for %j without asking the engine",
    async (key) => {
      expect(await createDeadLetters(noInbox).replay(key)).toBe(false);
    },
  );

  test("asks the engine for a well-formed key", async () => {
    const asked: string[] = [];
    const deadLetters = createDeadLetters({ ...noInbox, replay: async (key) => asked.push(key) > 0 });
    expect(await deadLetters.replay("0a".repeat(32))).toBe(true);
    expect(asked).toEqual(["0a".repeat(32)]);
  });
});
