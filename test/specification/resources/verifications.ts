import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import type { RuleId } from "../rules.ts";
import { startReceiver } from "../support/receiver.ts";
import { accepted, startService, verification } from "../support/recorded-service.ts";
import { call, confirm, phone, startSandbox, verificationRequest, verify } from "../support/sandbox.ts";

const entry = { channel_name: "SMS", priority: 1 };
const entryWith = (changes: object) => ({ channels: [{ ...entry, ...changes }] });

/** Each field of the verification request: what stands in it, and what may not. `undefined` leaves it out. */
const fields: readonly { id: RuleId; field: string; right: object; wrong: readonly object[] }[] = [
  {
    id: "resources.verification-request.row-1",
    field: "recipient",
    right: { recipient: phone },
    wrong: [undefined, "", "015112345678", [phone], 4915112345678].map((recipient) => ({ recipient })),
  },
  {
    id: "resources.verification-request.row-2",
    field: "template",
    right: { template: { name: "login", variables: { app: "Example" } } },
    wrong: [undefined, "login", {}, { name: 1 }, { name: "login", variables: { app: 1 } }].map((template) => ({
      template,
    })),
  },
  {
    id: "resources.verification-request.row-3",
    field: "channels",
    right: { channels: [{ channel_name: "WHATSAPP", priority: 2 }, entry] },
    wrong: [
      ...[undefined, [], "SMS", ["SMS"]].map((channels) => ({ channels })),
      ...[{ channel_name: undefined }, { channel_name: 1 }, { priority: undefined }].map(entryWith),
      ...[{ priority: "1" }, { priority: 1.5 }, { priority: 0 }].map(entryWith),
    ],
  },
  {
    id: "resources.verification-request.row-4",
    field: "custom_otp",
    right: { custom_otp: "0099" },
    wrong: ["", 99, ["0099"]].map((custom_otp) => ({ custom_otp })),
  },
  {
    id: "resources.verification-request.row-5",
    field: "callback_url",
    right: { callback_url: "https://app.example.com/webhooks" },
    wrong: ["http://app.example.com/", "app.example.com", "", 1].map((callback_url) => ({ callback_url })),
  },
];

/** "Verification request" and "Verification response". */
export function showVerifications(show: Show): void {
  showRequest(show);
  showResponse(show);
}

function showRequest({ sandbox, kit }: Show): void {
  for (const { id, field, right, wrong } of fields) {
    sandbox(id, async () => {
      const running = await startSandbox({ templates: { login: "{{code}} for {{app}}" } });
      const base = verificationRequest({ template: { name: "login", variables: { app: "Shop" } } });
      for (const changes of wrong) {
        const { status, json } = await call(running, "POST /verifications", { ...base, ...changes });
        expect([status, String(json.field)]).toEqual([422, expect.stringMatching(new RegExp(`^${field}($|[.[])`))]);
      }
      expect(running.inbox.list()).toEqual([]);
      expect((await call(running, "POST /verifications", { ...base, ...right })).status).toBe(200);
      const [{ text, code } = { text: "", code: undefined }] = running.inbox.list();
      expect(text).toBe(`${code} for ${field === "template" ? "Example" : "Shop"}`);
      expect(code).toMatch(field === "custom_otp" ? /^0099$/ : /^\d{6}$/);
    });

    kit(id, async () => {
      const { client, requests, sent } = await startService({ body: accepted.verification });
      for (const changes of wrong) {
        const request = JSON.parse(JSON.stringify({ ...verification, ...changes }));
        await expect(client.verifications.create(request)).rejects.toMatchObject({ code: "service_invalid_request" });
      }
      expect(requests).toEqual([]);
      await client.verifications.create({ ...verification, ...right });
      expect(sent()).toEqual({ ...verification, ...right });
    });
  }
}

function showResponse({ sandbox, kit }: Show): void {
  kit("resources.verification-response.row-2", async () => {
    const body = { ...accepted.verification, error_code: "template.unknown", error_message: "Name a template." };
    const { client } = await startService({ body });
    const refusal = { outcome: "refused", message: expect.stringContaining("Name a template.") };
    await expect(client.verifications.create(verification)).rejects.toMatchObject(refusal);
  });

  sandbox("resources.verification-response.id", async () => {
    const running = await startSandbox();
    const receiver = await startReceiver();
    running.deliverTo(receiver.url);
    const { id, code } = await verify(running);
    await running.clock.advance("1s");
    expect((await confirm(running, "ver_unknown", code)).status).toBe(404);
    expect((await confirm(running, id, code)).status).toBe(200);
    await running.clock.advance("1s");
    expect(receiver.arrivals.map(({ data }) => data.verification_id)).toEqual([id, id, id]);
  });
}
