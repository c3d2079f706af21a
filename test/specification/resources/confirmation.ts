import { expect } from "vitest";
import { setUpWebhooks } from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { call, confirm, otherPhone, phone, send, startSandbox, verify } from "../support/sandbox.ts";

/** "Confirmation request and response". */
export function showConfirmation({ sandbox, kitOnHosts }: Show): void {
  sandbox("resources.confirmation.row-1", async () => {
    const running = await startSandbox();
    const { id, code } = await verify(running);
    for (const wrong of [Number(code), [code], "", null]) {
      expect(await confirm(running, id, wrong)).toMatchObject({ status: 422, json: { field: "otp_code" } });
    }
    expect((await confirm(running, id, code)).status).toBe(200);
  });

  sandbox("resources.confirmation.row-2", async () => {
    const running = await startSandbox();
    const { id, code, wrongCode } = await verify(running);
    expect((await confirm(running, id, wrongCode)).json.success).toBe(false);
    expect((await confirm(running, id, code)).json.success).toBe(true);
  });

  sandbox("resources.confirmation.row-3", async () => {
    const running = await startSandbox();
    const { id, code, wrongCode } = await verify(running);
    const answers = [await confirm(running, id, wrongCode), await confirm(running, id, code)];
    expect(answers.map(({ json }) => json.message)).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  });

  sandbox("resources.confirmation.codes", async () => {
    const running = await startSandbox();
    const generated = await verify(running);
    expect(generated.code).toMatch(/^\d{6}$/);
    expect((await confirm(running, generated.id, generated.code)).status).toBe(200);

    const expiring = await verify(running, { recipient: otherPhone });
    await running.clock.advance("10m");
    expect((await confirm(running, expiring.id, expiring.code)).status).toBe(400);

    const recipient = "+4915112340002";
    const own = await verify(running, { recipient, custom_otp: "24681012" });
    expect(own.code).toBe("24681012");
  });

  sandbox("resources.confirmation.status-record", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const [entry] = await send(running);
    await running.clock.advance("1m");
    const record = {
      message_id: entry?.message_id,
      recipient: phone,
      status: "DELIVERED",
      status_updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    };
    expect(receiver.arrivals.at(-1)?.data).toMatchObject(record);
    expect((await call(running, "GET /messages")).json).toMatchObject({ messages: [record] });
  });

  kitOnHosts("resources.confirmation.status-record", async (host) => {
    const { deliver, calls } = await setUpWebhooks(host);
    const record = { message_id: "m1", recipient: phone, status: "SENT", status_updated_at: "2026-09-21T14:13:01Z" };
    const beyond = { price: { amount: "0.07" }, tags: [1] };
    await deliver({ event: "message.status.update", data: { ...record, ...beyond } });
    expect(calls.map(({ data }) => data)).toEqual([{ ...record, ...beyond }]);
  });
}
