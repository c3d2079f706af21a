import { describe, expect, test } from "vitest";
import { addReceiver } from "./support/receiver.ts";
import { confirm, inOrder, phone, post, start, startVerification, verificationRequest } from "./support/start.ts";

const cascade = [
  { channel_name: "VOICE", priority: 3 },
  { channel_name: "SMS", priority: 1 },
  { channel_name: "WHATSAPP", priority: 2 },
];
const smsFails = "+491713920015";
const neverDelivered = "+491713920025";
const onlyVoice = "+491713920035";

describe("POST /verifications", () => {
  test("inserts variables as plain text", async () => {
    const { sandbox } = await start({ templates: { greeting: "{{ name }}: {{code}} ({{name}})" } });
    const template = { name: "greeting", variables: { name: "{{code}} $& $1", code: "000" } };
    const { code } = await startVerification(sandbox, { template });
    expect(sandbox.inbox.list()[0]?.text).toBe(`{{code}} $& $1: ${code} ({{code}} $& $1)`);
  });

  test.each([
    ["an unknown template", { name: "nope", variables: {} }, "template.not_registered", "template.name"],
    ["a name every object has", { name: "constructor" }, "template.not_registered", "template.name"],
    ["a missing variable", { name: "greeting", variables: {} }, "request.invalid", "template.variables.name"],
  ])("refuses %s, and sends nothing", async (_, template, error_code, field) => {
    const { sandbox } = await start({ templates: { greeting: "{{name}} {{code}}" } });
    expect(await post(sandbox, "/verifications", verificationRequest({ template }))).toMatchObject({
      status: 422,
      body: { error_code, field },
    });
    expect(sandbox.inbox.list()).toEqual([]);
  });

  test("delivers a custom_otp unchanged, and never confirms or expires it", async () => {
    const { sandbox, clock } = await start();
    const receiver = addReceiver(sandbox);
    const custom_otp = " 12-ab ";
    const { id } = await startVerification(sandbox, { custom_otp, template: undefined });
    expect(sandbox.inbox.list()[0]).toMatchObject({ text: custom_otp, code: custom_otp });
    for (let attempt = 0; attempt < 7; attempt++) {
      const { status, body } = await confirm(sandbox, id, custom_otp);
      expect({ status, ...body }).toMatchObject({ status: 400, success: false, error_code: "verify.invalid_code" });
    }
    await clock.advance(86_400_000);
    expect(receiver.data().map(({ status }) => status)).toEqual(["PENDING", "PENDING"]);
  });
});

describe("fallback", () => {
  test("sends the same code over every channel", async () => {
    const { sandbox, clock } = await start();
    const { id, code } = await startVerification(sandbox, { recipient: smsFails, channels: cascade });
    await clock.advance(250);
    expect(sandbox.inbox.list().map((message) => [message.channel, message.code])).toEqual([
      ["SMS", code],
      ["WHATSAPP", code],
    ]);
    expect((await confirm(sandbox, id, code)).status).toBe(200);
  });

  test("fails the verification when every channel has failed, and then refuses its code", async () => {
    const { sandbox, clock } = await start({ behaviours: { [phone]: "only_voice" } });
    const receiver = addReceiver(sandbox);
    const { id, code } = await startVerification(sandbox, { channels: cascade.slice(1) });
    await clock.advance(1_000_000);
    expect(receiver.data().at(-1)).toMatchObject({ status: "FAILED" });
    expect(receiver.data().at(-1)).not.toHaveProperty("channel");
    expect(receiver.data().filter(({ status }) => status !== "PENDING")).toHaveLength(1);
    expect((await confirm(sandbox, id, code)).body.error_code).toBe("verify.expired");
  });

  test("falls back only once when a channel times out and fails later", async () => {
    const { sandbox, clock } = await start({ settings: { fallbackAfterSeconds: 3, outcomeAfterMilliseconds: 5_000 } });
    await startVerification(sandbox, { recipient: onlyVoice, channels: cascade });
    await clock.advance(5_900);
    expect(sandbox.inbox.list().map(({ channel, status }) => [channel, status])).toEqual([
      ["SMS", "FAILED"],
      ["WHATSAPP", "SENT"],
    ]);
  });

  test("keeps the verification open when its last channel fails but an earlier one delivered late", async () => {
    const { sandbox, clock } = await start({ settings: { fallbackAfterSeconds: 1, outcomeAfterMilliseconds: 5_000 } });
    const channels = inOrder("WHATSAPP", "SMS");
    const { id, code } = await startVerification(sandbox, { recipient: smsFails, channels });
    await clock.advance(30_000);
    expect(sandbox.inbox.list().map(({ status }) => status)).toEqual(["DELIVERED", "FAILED"]);
    expect((await confirm(sandbox, id, code)).status).toBe(200);
  });

  test("stops after the code was confirmed", async () => {
    const { sandbox, clock } = await start();
    const { id, code } = await startVerification(sandbox, { recipient: neverDelivered, channels: cascade });
    await confirm(sandbox, id, code);
    await clock.advance(60_000);
    expect(sandbox.inbox.list()).toHaveLength(1);
  });
});

describe("confirmation", () => {
  test.each(["12345", "1234567", "000000 ", "١٢٣٤٥٦", "e".repeat(64)])("refuses %j as wrong", async (code) => {
    const { sandbox } = await start();
    const { id } = await startVerification(sandbox);
    expect((await confirm(sandbox, id, code)).body.error_code).toBe("verify.invalid_code");
  });

  test("approves a code once in fifty concurrent confirmations", async () => {
    const { sandbox } = await start();
    const { id, code } = await startVerification(sandbox);
    const answers = await Promise.all(Array.from({ length: 50 }, () => confirm(sandbox, id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.error_code))).toEqual(new Set([undefined, "verify.expired"]));
  });

  test("evaluates five of twenty concurrent codes, and then refuses the right one", async () => {
    const { sandbox } = await start();
    const receiver = addReceiver(sandbox);
    const { id, code, wrongCode } = await startVerification(sandbox);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(sandbox, id, wrongCode)));
    const count = (wanted: string) => answers.filter(({ body }) => body.error_code === wanted).length;
    expect([count("verify.invalid_code"), count("verify.max_attempts_reached")]).toEqual([5, 15]);
    const { status, body } = await confirm(sandbox, id, code);
    expect({ status, ...body }).toMatchObject({ status: 400, error_code: "verify.max_attempts_reached" });
    await sandbox.deliveries.settled();
    expect(receiver.data().map((data) => data.status)).toEqual(["FAILED"]);
  });

  test("refuses an expired code even when the expiry task is late", async () => {
    let now = 0;
    const { sandbox } = await start({ clock: { now: () => now, schedule: () => () => {} } });
    const { id, code } = await startVerification(sandbox);
    now = 600_000;
    expect((await confirm(sandbox, id, code)).body.error_code).toBe("verify.expired");
  });

  test("answers 404 for an unknown verification, and for one of another application", async () => {
    const { sandbox } = await start();
    const { id, code } = await startVerification(sandbox);
    const stranger = sandbox.createApplication();
    for (const answer of [await confirm(sandbox, "ver_nope", code), await confirm(stranger, id, code)]) {
      expect(answer.status).toBe(404);
      expect(answer.body.error_code).toBe("verification.not_found");
    }
    expect((await confirm(sandbox, id, code)).status).toBe(200);
  });
});
