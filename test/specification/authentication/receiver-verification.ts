import { expect } from "vitest";
import type { HeaderLines } from "../../support/raw-post.ts";
import { messageEvent, secondsOf, setUpWebhooks, signatureOf, signed, typesOf } from "../../support/webhook-setup.ts";
import type { Show } from "../describe-part.ts";
import { accepted, message, startService } from "../support/recorded-service.ts";

const body = JSON.stringify(messageEvent("SENT"));

function lines(timestamp: string | number, signature: string): HeaderLines {
  return [
    ["x-webhook-timestamp", String(timestamp)],
    ["x-webhook-signature", signature],
  ];
}

/** "Receiver verification, in order". */
export function showReceiverVerification({ kit, kitOnHosts }: Show): void {
  kitOnHosts("authentication.webhook.row-1-later", async (host) => {
    const { send, clock, calls } = await setUpWebhooks(host);
    const [now, right] = [secondsOf(clock), signatureOf(body, secondsOf(clock))];
    const answer = await send(lines(now, `v2=${"0".repeat(128)},v1=${right}`), body);
    expect([answer.status, calls.length]).toEqual([204, 1]);
  });

  kitOnHosts("authentication.receiver.1", async (host) => {
    const { send, clock, calls, events } = await setUpWebhooks(host);
    const odd = '{ "data":{"message_id":"m1","status":"Grüße 😀","n":1.0},\r\n "event":"message.status.update" }\n';
    expect((await send(signed(odd, secondsOf(clock)), odd)).status).toBe(204);
    expect(calls).toHaveLength(1);
    // What cannot be parsed is not parsed before its signature is right.
    expect((await send(lines(secondsOf(clock), `v1=${"0".repeat(64)}`), "{")).status).toBe(401);
    expect((await send(signed("{", secondsOf(clock)), "{")).status).toBe(204);
    expect(typesOf(events)).toEqual(["webhook.handled", "webhook.refused", "webhook.unreadable"]);
  });

  kitOnHosts("authentication.receiver.2", async (host) => {
    const { send, clock, calls } = await setUpWebhooks(host);
    const now = secondsOf(clock);
    const statusOf = async (headers: HeaderLines) => (await send(headers, body)).status;
    const both = lines(now, `v1=${signatureOf(body, now)}`);
    for (const partial of [both.slice(0, 1), both.slice(1), []]) expect(await statusOf(partial)).toBe(401);
    const iso = new Date(now * 1000).toISOString();
    for (const odd of ["", "now", `${now}.0`, `${now}000`, `0x${now.toString(16)}`, iso]) {
      expect([odd, await statusOf(lines(odd, `v1=${signatureOf(body, odd)}`))]).toEqual([odd, 401]);
    }
    expect(calls).toEqual([]);
  });

  kitOnHosts("authentication.receiver.3", async (host) => {
    const { send, clock } = await setUpWebhooks(host);
    const now = secondsOf(clock);
    const statuses = [];
    for (const off of [-301, -300, 0, 300, 301]) statuses.push((await send(signed(body, now + off), body)).status);
    expect(statuses).toEqual([401, 204, 204, 204, 401]);
  });

  kitOnHosts("authentication.receiver.4", async (host) => {
    const { send, clock } = await setUpWebhooks(host);
    const [now, right] = [secondsOf(clock), signatureOf(body, secondsOf(clock))];
    const statusOf = async (signature: string) => (await send(lines(now, signature), body)).status;
    for (const list of [`v1=${right}`, `v0=x, v1=${right}`, `v1=${right},v2=x`]) expect(await statusOf(list)).toBe(204);
    for (const list of [right, `v11=${right}`, `v2=${right}`, `sha256=${right}`, ""])
      expect(await statusOf(list)).toBe(401);
  });

  kitOnHosts("authentication.receiver.5", async (host) => {
    const { send, clock } = await setUpWebhooks(host);
    const now = secondsOf(clock);
    const statusOf = async (hex: string) => (await send(lines(now, `v1=${hex}`), body)).status;
    const right = signatureOf(body, now);
    expect(await statusOf(right)).toBe(204);
    const wrong = [
      right.toUpperCase(),
      signatureOf(body, now - 1),
      signatureOf(`${body} `, now),
      signatureOf(`.${body}`, now),
    ];
    for (const hex of wrong) expect(await statusOf(hex)).toBe(401);
  });

  kitOnHosts("authentication.receiver.7", async (host) => {
    const { send, deliver, clock, calls } = await setUpWebhooks(host);
    const forged = await send(signed(body, secondsOf(clock), "the secret of somebody else"), body);
    expect([forged.status, calls]).toEqual([401, []]);
    const genuine = await deliver(messageEvent("SENT"));
    expect([genuine.status, calls.map(({ data }) => data.status)]).toEqual([204, ["SENT"]]);
  });

  kit("authentication.notes.integrity", async () => {
    const { client, requests } = await startService({ body: accepted.message });
    const open = { ...message, callback_url: "http://app.example.com/webhooks" };
    await expect(client.messages.send(open)).rejects.toMatchObject({ code: "service_invalid_request" });
    expect(requests).toEqual([]);
  });

  kitOnHosts("authentication.notes.fresh", async (host) => {
    const { send, clock, calls } = await setUpWebhooks(host);
    const first = signed(body, secondsOf(clock));
    await clock.advance(3_600_000);
    expect((await send(first, body)).status).toBe(401);
    expect((await send(signed(body, secondsOf(clock)), body)).status).toBe(204);
    expect(calls).toHaveLength(1);
  });
}
