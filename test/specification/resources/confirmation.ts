import { expect } from "vitest";
import { setUpWebhooks } from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { startReceiver } from "../support/receiver.ts";
import { call, confirm, phone, send, startSandbox, verify } from "../support/sandbox.ts";

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
    const message = expect.stringMatching(/./);
    expect((await confirm(running, id, wrongCode)).json).toMatchObject({ success: false, message });
    expect((await confirm(running, id, code)).json).toMatchObject({ success: true, message });
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
