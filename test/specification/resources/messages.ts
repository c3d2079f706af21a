import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import type { RuleId } from "../rules.ts";
import { startReceiver } from "../support/receiver.ts";
import { accepted, message, startService } from "../support/recorded-service.ts";
import { call, type MessageEntry, messageRequest, otherPhone, phone, startSandbox } from "../support/sandbox.ts";

const entry = { channel: "SMS", sender: "Doorcode", content: { text: "Hello" } };
const channelsWith = (changes: object) => ({ channels: [{ ...entry, ...changes }] });

/** Each field of the message request: what stands in it, and what may not. `undefined` leaves it out. */
const fields: readonly { id: RuleId; field: string; right: object; wrong: readonly object[] }[] = [
  {
    id: "resources.message-request.row-1",
    field: "recipients",
    right: { recipients: [phone, otherPhone] },
    wrong: [undefined, phone, [], ["4915112345678"], ["015112345678"], [4915112345678]].map((recipients) => ({
      recipients,
    })),
  },
  {
    id: "resources.message-request.row-2",
    field: "channels",
    right: { channels: [entry, entry] },
    wrong: [undefined, entry, [], ["SMS"]].map((channels) => ({ channels })),
  },
  {
    id: "resources.message-request.row-3",
    field: "channels[0].channel",
    right: channelsWith({ channel: "SMS" }),
    wrong: [undefined, "", "sms", "EMAIL", 1].map((channel) => channelsWith({ channel })),
  },
  {
    id: "resources.message-request.row-4",
    field: "channels[0].sender",
    right: channelsWith({ sender: "Doorcode" }),
    wrong: [undefined, "", 7].map((sender) => channelsWith({ sender })),
  },
  {
    id: "resources.message-request.row-5",
    field: "channels[0].content",
    right: channelsWith({ content: { text: "Grüße 😀" } }),
    wrong: [undefined, "Hello", {}, { text: "" }, { text: 1 }].map((content) => channelsWith({ content })),
  },
  {
    id: "resources.message-request.row-6",
    field: "callback_url",
    right: { callback_url: "https://app.example.com/webhooks" },
    wrong: ["http://app.example.com/", "app.example.com", "", 1].map((callback_url) => ({ callback_url })),
  },
];

/** "Message request" and "Message response". */
export function showMessages(show: Show): void {
  showRequest(show);
  showResponse(show);
}

function showRequest({ sandbox, kit }: Show): void {
  for (const { id, field, right, wrong } of fields) {
    sandbox(id, async () => {
      const running = await startSandbox();
      for (const changes of wrong) {
        const { status, json } = await call(running, "POST /messages", messageRequest(changes));
        expect([status, String(json.field)]).toEqual([422, expect.stringMatching(prefix(field))]);
      }
      expect(running.inbox.list()).toEqual([]);
      expect((await call(running, "POST /messages", messageRequest(right))).status).toBe(200);
      expect(running.inbox.list().length).toBeGreaterThan(0);
    });

    kit(id, async () => {
      const { client, requests, sent } = await startService({ body: accepted.message });
      for (const changes of wrong) {
        const request = JSON.parse(JSON.stringify({ ...message, ...changes }));
        await expect(client.messages.send(request)).rejects.toMatchObject({ code: "service_invalid_request" });
      }
      expect(requests).toEqual([]);
      await client.messages.send({ ...message, ...right });
      expect(sent()).toEqual({ ...message, ...right });
    });
  }
}

/** The field itself, or something in it. */
function prefix(field: string): RegExp {
  return new RegExp(`^${field.replace(/[[\]]/g, "\\$&")}($|[.[])`);
}

function showResponse({ sandbox }: Show): void {
  const request = messageRequest({ recipients: [phone, otherPhone], channels: [entry, entry] });

  sandbox("resources.message-response.row-3", async () => {
    const running = await startSandbox();
    const { json } = await call(running, "POST /messages", request);
    const messages = (json.messages as MessageEntry[]).map(({ recipient, status }) => `${recipient} ${status}`);
    const queued = [phone, phone, otherPhone, otherPhone].map((recipient) => `${recipient} QUEUED`);
    expect([json.status, messages.toSorted()]).toEqual(["SUCCESS", queued.toSorted()]);
  });

  sandbox("resources.message-response.row-4", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const { json } = await call(running, "POST /messages", request);
    await running.clock.advance("1m");
    const ids = new Set((json.messages as MessageEntry[]).map(({ message_id }) => message_id));
    expect(ids.size).toBe(4);
    expect(new Set(receiver.arrivals.map(({ data }) => data.message_id))).toEqual(ids);
  });
}
