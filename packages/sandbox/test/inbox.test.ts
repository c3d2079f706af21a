import { describe, expect, test } from "vitest";
import { messageRequest, phone, post, sms, start, startVerification } from "./support/start.ts";

describe("inbox", () => {
  test("shows channel, text, code, segments and timeline", async () => {
    const { sandbox, clock } = await start();
    const { code } = await startVerification(sandbox);
    await clock.advance(250);
    expect(sandbox.inbox.list()).toEqual([
      {
        id: expect.any(String),
        requestId: expect.any(String),
        verificationId: expect.any(String),
        to: phone,
        channel: "SMS",
        text: `Your code is ${code}`,
        code,
        segments: 1,
        status: "DELIVERED",
        createdAt: "2026-09-21T14:13:20.000Z",
        timeline: [
          { status: "QUEUED", at: "2026-09-21T14:13:20.000Z" },
          { status: "SENT", at: "2026-09-21T14:13:20.050Z" },
          { status: "DELIVERED", at: "2026-09-21T14:13:20.250Z" },
        ],
      },
    ]);
  });

  test("reads the code of a message from the last line of its text, which binds it to a host, and from nowhere else", async () => {
    const { sandbox } = await start();
    const texts = [
      "Your code is 271828.\n\n@app.example.com #271828",
      "Your code is 314159.",
      "@app.example.com #141421\n",
    ];
    for (const text of texts) {
      await post(sandbox, "/messages", messageRequest({ channels: sms(text) }));
    }
    expect(sandbox.inbox.list().map(({ code }) => code)).toEqual(["271828", undefined, undefined]);
  });

  test("returns the newest message, and with `after` only later ones", async () => {
    const { sandbox, clock } = await start();
    await startVerification(sandbox);
    const first = await sandbox.inbox.wait({ to: phone });
    const waiting = sandbox.inbox.wait({ to: phone, after: first.id });
    await clock.advance(250);
    await post(sandbox, "/messages", messageRequest({ recipients: ["+436641234567"] }));
    await startVerification(sandbox);
    const second = await waiting;
    expect(second.id).toBe(sandbox.inbox.list()[2]?.id);
    expect((await sandbox.inbox.wait({ to: phone })).id).toBe(second.id);
  });

  test("rejects when no message came in time, without the number in the error", async () => {
    const { sandbox } = await start();
    const refused = await sandbox.inbox.wait({ to: phone, timeoutSeconds: 0 }).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: "SandboxError", code: "message_missing" });
    expect(String(refused)).not.toContain("1511234");
  });

  test("calls a watcher with each new message of its application, until the watcher is removed", async () => {
    const { sandbox, clock } = await start();
    const other = sandbox.createApplication();
    const seen: string[] = [];
    const end = sandbox.inbox.watch(({ id }) => seen.push(id));
    await startVerification(sandbox);
    await startVerification(other);
    await clock.advance(250);
    end();
    await startVerification(sandbox);
    expect(seen).toEqual([sandbox.inbox.list()[0]?.id]);
  });

  test("accepts a deleted message as `after`", async () => {
    const { sandbox } = await start();
    await startVerification(sandbox);
    const { id: after } = await sandbox.inbox.wait({ to: phone });
    sandbox.inbox.clear();
    const waiting = sandbox.inbox.wait({ to: phone, after });
    await startVerification(sandbox);
    expect((await waiting).id).toBe(sandbox.inbox.list()[0]?.id);
  });
});
