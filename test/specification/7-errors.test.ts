import { expect } from "vitest";
import { describePart } from "./describe-part.ts";
import { message, startService } from "./support/recorded-service.ts";
import { confirm, startSandbox, verify } from "./support/sandbox.ts";

const refusals = [
  ["errors.row-1", "verify.invalid_code"],
  ["errors.row-2", "verify.expired"],
  ["errors.row-3", "verify.max_attempts_reached"],
] as const;

describePart(7, ({ sandbox, kit }) => {
  sandbox("errors.row-1", async () => {
    const running = await startSandbox();
    const { id, wrongCode } = await verify(running);
    const refused = await confirm(running, id, wrongCode);
    expect([refused.status, refused.json.error_code]).toEqual([400, "verify.invalid_code"]);
  });

  sandbox("errors.row-2", async () => {
    const running = await startSandbox();
    const { id, code } = await verify(running);
    await running.clock.advance("9m59s");
    const other = await verify(running, { recipient: "+4915112340004" });
    await running.clock.advance("1s");
    const refused = await confirm(running, id, code);
    expect([refused.status, refused.json.error_code]).toEqual([400, "verify.expired"]);
    expect((await confirm(running, other.id, other.code)).status).toBe(200);
  });

  sandbox("errors.row-3", async () => {
    const running = await startSandbox();
    const { id, code, wrongCode } = await verify(running);
    const wrong = [];
    for (let attempt = 0; attempt < 5; attempt++) wrong.push((await confirm(running, id, wrongCode)).json.error_code);
    const refused = await confirm(running, id, code);
    expect(wrong).toEqual(Array(5).fill("verify.invalid_code"));
    expect([refused.status, refused.json.error_code]).toEqual([400, "verify.max_attempts_reached"]);
  });

  for (const [id, code] of refusals) {
    kit(id, async () => {
      const { client } = await startService({ status: 400, body: { success: false, message: "no", error_code: code } });
      const confirmation = client.verifications.confirm("ver_1", { otp_code: "123456" });
      await expect(confirmation).rejects.toMatchObject({ code, outcome: "refused" });
    });
  }

  kit("errors.row-6", async () => {
    const code = "message.sender_not_registered";
    for (const body of [
      { error_code: code },
      { error: { code } },
      { errors: [{ code }] },
      { message: `${code}: no` },
    ]) {
      const { client } = await startService({ status: 400, body });
      await expect(client.messages.send(message)).rejects.toMatchObject({ code: "sender_not_registered" });
    }
  });

  sandbox("errors.confirmation-body", async () => {
    const running = await startSandbox();
    const places = ["error_code", "code", "error.code", "errors[0].code", "message"] as const;
    for (const errorCode of places) {
      const application = running.createApplication({ dialect: { errorCode } });
      const { id, wrongCode } = await verify(application);
      const { status, json, text } = await confirm(application, id, wrongCode);
      expect([errorCode, status, json.success, typeof json.message]).toEqual([errorCode, 400, false, "string"]);
      expect(text).toContain("verify.invalid_code");
    }
  });

  kit("errors.confirmation-body", async () => {
    const code = "verify.expired";
    const bodies = [
      { error_code: code },
      { code },
      { error: { code } },
      { errors: [{ code }] },
      { message: `${code} no` },
    ];
    for (const body of bodies) {
      const { client } = await startService({ status: 400, body: { success: false, message: "no", ...body } });
      const confirmation = client.verifications.confirm("ver_1", { otp_code: "123456" });
      await expect(confirmation).rejects.toMatchObject({ code });
    }
  });
});
