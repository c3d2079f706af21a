import { expect, test } from "vitest";
import { messageLine } from "../src/command/printed-lines.ts";
import type { InboxMessage } from "../src/sandbox/inbox.ts";

const message: InboxMessage = {
  id: "msg_1",
  requestId: "req_1",
  to: "+4915112345678",
  channel: "SMS",
  text: "Your code is 123456",
  code: "123456",
  segments: 1,
  status: "QUEUED",
  createdAt: "2026-01-02T03:04:05.678Z",
  timeline: [{ status: "QUEUED", at: "2026-01-02T03:04:05.678Z" }],
};

/** Removes the time, which depends on the time zone of the machine. */
function afterTime(changes: Partial<InboxMessage>): string {
  const line = messageLine({ ...message, ...changes });
  expect(line).toMatch(/^\d\d:\d\d:05 {2}/);
  return line.slice(10);
}

function plain(text: string): string {
  const { code: _, ...rest } = message;
  return messageLine({ ...rest, text }).slice(10);
}

test("shows channel, number and code in columns", () => {
  expect(afterTime({})).toBe("SMS       +4915112345678   123456");
  expect(afterTime({ channel: "WHATSAPP", to: "+14155550123" })).toBe("WHATSAPP  +14155550123     123456");
});

test("shows the beginning of a text without a code, on one line", () => {
  expect(plain("Hello,\n\tAda")).toBe("SMS       +4915112345678   Hello, Ada");
  expect(plain("x".repeat(60))).toBe(`SMS       +4915112345678   ${"x".repeat(60)}`);
  expect(plain("😀".repeat(61))).toBe(`SMS       +4915112345678   ${"😀".repeat(59)}…`);
});

test("replaces characters that control a terminal or reverse the line", () => {
  expect(plain("a\u001b[2Jb\u009bc\u202ed")).toBe("SMS       +4915112345678   a�[2Jb�c�d");
  expect(afterTime({ channel: "\u001b]0;x\u0007" })).toContain("�]0;x�");
});
