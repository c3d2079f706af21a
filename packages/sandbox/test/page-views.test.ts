import { describe, expect, test } from "vitest";
import { durationText, leftText } from "../src/page/browser/time-text.ts";
import { pageOf } from "../src/page/components/paths.ts";
import { queryInbox } from "../src/page/inbox/inbox-query.ts";
import { splitAt } from "../src/page/inbox/search.tsx";
import { maskKey } from "../src/page/portal/credentials.tsx";
import { attemptText } from "../src/page/webhooks/attempts.tsx";
import { createState, type State } from "../src/state/state.ts";
import { delivery, message } from "./support/records.ts";

describe("a page of a list", () => {
  const letters = ["e", "d", "c", "b", "a"];
  const page = (before?: string, size = 2) => pageOf(letters, (letter) => letter, size, before);

  test.each([
    [undefined, ["e", "d"], "d"],
    ["d", ["c", "b"], "b"],
    ["b", ["a"], undefined],
    ["gone", ["e", "d"], "d"],
  ])("begins after the cursor %s", (before, items, older) => {
    expect(page(before)).toEqual({ items, older });
  });

  test("has no next page when all items are shown", () => {
    expect(page(undefined, 5)).toEqual({ items: letters, older: undefined });
  });
});

describe("threads", () => {
  const query = { search: "", channel: "", thread: undefined, threadsBefore: undefined, before: undefined };
  const threads = (state: State) => queryInbox(state, "app_1", query).threads.items;
  const names = (state: State) => threads(state).map(({ to, channel, count }) => `${to} ${channel} ${count}`);

  test("exist once for each number and channel, the newest first, as messages are added and removed", () => {
    const state = createState();
    const { messages } = state;
    messages.put(message("a", { to: "+1" }));
    messages.put(message("b", { to: "+2" }));
    expect(names(state)).toEqual(["+2 SMS 1", "+1 SMS 1"]);
    messages.put(message("c", { to: "+1" }));
    messages.put(message("d", { to: "+1", channel: "VOICE" }));
    expect(names(state)).toEqual(["+1 VOICE 1", "+1 SMS 2", "+2 SMS 1"]);
    messages.change("c", (message) => ({ ...message, deleted: true }));
    messages.put(message("e", { to: "+2" }));
    expect(names(state)).toEqual(["+2 SMS 2", "+1 VOICE 1", "+1 SMS 1"]);
  });

  test("list their messages, the newest first", () => {
    const state = createState();
    for (const id of ["a", "b", "c"]) state.messages.put(message(id, { to: id === "b" ? "+2" : "+1" }));
    const { messages } = queryInbox(state, "app_1", { ...query, thread: { to: "+1", channel: "SMS" } });
    expect(messages.items.map(({ id }) => id)).toEqual(["c", "a"]);
  });
});

test.each([
  ["sandbox-api-key", "••••••••••••-key"],
  ["short-key", "••••••••••••"],
])("masks %s", (key, masked) => {
  expect(maskKey(key)).toBe(masked);
});

test.each([
  [50, "50 ms"],
  [4200, "4.2 s"],
  [61_000, "1 m 1 s"],
  [4_350_000, "1 h 12 m"],
  [90_000_000, "1 d 1 h"],
])("formats %d ms as %s", (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test("counts down in whole seconds, and then shows now", () => {
  expect([118_001, 1, 0, -5].map(leftText)).toEqual(["in 1 m 59 s", "in 1 s", "now", "now"]);
});

describe("the description of an attempt", () => {
  const [attempt] = delivery("dlv_1").attempts;
  test.each([
    [{ error: "unreachable" }, "Connection refused: is your app running on port 3000?"],
    [{ error: "timed_out" }, "No answer within 5 s: answer before doing slow work"],
    [{ error: undefined, status: 204 }, "Acknowledged with 204"],
    [{ error: undefined, status: 302 }, "302: redirects are not followed"],
    [{ error: undefined, status: 401 }, "401: your app refused the signature"],
    [{ error: undefined, status: 404 }, "404: your app has no route at /webhooks"],
    [{ error: undefined, status: 503 }, "503: your app failed"],
  ] as const)("%j", (changes, words) => {
    if (!attempt) throw new Error("The delivery has an attempt.");
    expect(attemptText({ ...attempt, ...changes }, "http://localhost:3000/webhooks")).toContain(words);
  });
});

test("splits a text at the search text without losing a character", () => {
  const pieces = splitAt("Hello hello, İstanbul", "HELLO");
  expect(pieces.map(({ text }) => text).join("")).toBe("Hello hello, İstanbul");
  expect(splitAt("Hello hello", "HELLO").filter(({ matches }) => matches)).toHaveLength(2);
});
