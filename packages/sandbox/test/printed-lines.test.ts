import { describe, expect, test, vi } from "vitest";
import { messageLine, printFailures, printRefusals } from "../src/command/printed-lines.ts";
import type { InboxMessage } from "../src/sandbox/inbox.ts";
import { addReceiver, serve } from "./support/receiver.ts";
import { messageRequest, post, silent, start } from "./support/start.ts";

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

describe("the line of a message", () => {
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
});

test("each request that was refused has a line with its cause", async () => {
  const { sandbox } = await start();
  const lines: string[] = [];
  printRefusals(sandbox, (line) => void lines.push(line));
  await post(sandbox, "/messages", messageRequest());
  await post(sandbox, "/messages", { recipients: ["0151"] });
  await fetch(`${sandbox.env.SERVICE_URL}/messages`);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d {2}REFUSED {3}POST \/v1\/messages {2}422 {2}recipients\[0\]: Must be a phone number.*\n$/,
    ),
    expect.stringMatching(
      / {2}REFUSED {3}GET \/v1\/messages {2}401 {2}Send the application's API key as X-API-KEY\.\n$/,
    ),
  ]);
});

/** Answers as the kit refuses a delivery. */
function refuse(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ code }, { status, headers: { "content-type": "application/problem+json", ...headers } });
}

describe("an endpoint whose deliveries keep failing", () => {
  /** Sends three messages to an endpoint, and returns the lines about it as soon as there is one. */
  async function linesAbout(handler: (request: Request) => Promise<Response>) {
    const { sandbox, clock } = await start();
    const endpoint = await serve({ handler });
    sandbox.deliverTo(endpoint);
    const lines: string[] = [];
    printFailures(sandbox, (line) => void lines.push(line));
    for (let count = 0; count < 3; count++) await post(sandbox, "/messages", messageRequest());
    await clock.advance(1000);
    await sandbox.deliveries.settled();
    await vi.waitFor(() => expect(lines).not.toEqual([]), { timeout: 20_000 });
    return { endpoint, lines };
  }

  test("has one line, with what is wrong with its clock", async () => {
    const offset = 900;
    const { endpoint, lines } = await linesAbout(async ({ headers }) => {
      const now = Date.now() / 1000 + offset;
      const isInTime = Math.abs(now - Number(headers.get("x-webhook-timestamp"))) <= 300;
      const date = new Date(now * 1000).toUTCString();
      return isInTime
        ? new Response(null, { status: 204, headers: { date } })
        : refuse(401, "signature_invalid", { date });
    });
    expect(lines).toEqual([expect.stringContaining(`3 attempts in a row failed at ${endpoint}. `)]);
    expect(lines[0]).toMatch(/The endpoint's clock is (899|900|901) seconds ahead of this machine's/);
  });

  test("has none for attempts with changes, whose outcome does not count", async () => {
    const { sandbox, clock } = await start();
    addReceiver(sandbox, 500);
    const lines: string[] = [];
    printFailures(sandbox, (line) => void lines.push(line));
    await post(sandbox, "/messages", messageRequest({ recipients: [silent] }));
    await clock.advance(1000);
    await sandbox.deliveries.settled();
    const [{ id } = expect.fail()] = sandbox.deliveries.list();
    for (let count = 0; count < 3; count++) await sandbox.deliveries.sendAgain(id, { signature: "missing" });
    await sandbox.deliveries.sendAgain(id);
    expect(lines).toEqual([]);
    await sandbox.deliveries.sendAgain(id);
    await vi.waitFor(() => expect(lines).toHaveLength(1));
  });

  test("has one with its answer when the check of the endpoint finds nothing", async () => {
    const isCheck = ({ headers }: Request) => headers.get("user-agent") === "doorcode-check";
    const { endpoint, lines } = await linesAbout(async (request) =>
      isCheck(request) ? new Response(null, { status: 204 }) : refuse(500, "handler_failed"),
    );
    expect(lines[0]).toContain(`failed at ${endpoint}. The answer is 500 handler_failed. Read the log of the app.`);
  });
});
