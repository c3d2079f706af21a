import type { Sandbox } from "@doorcode/sandbox";
import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { call, messageRequest, send, startSandbox, verificationRequest } from "../support/sandbox.ts";

/** "Platform concepts": account, applications, numbers and keys. */
export function showPlatform({ sandbox }: Show): void {
  sandbox("resources.platform.row-1", async () => {
    const running = await startSandbox({ senders: ["Example"] });
    const second = running.createApplication();
    running.account.rentNumber(numberFor(second.id));
    expect(running.account.get()).toMatchObject({
      balance: expect.stringMatching(/\d/),
      pricing: expect.arrayContaining([
        { product: expect.any(String), unit: expect.any(String), amount: expect.any(String) },
      ]),
      invoices: expect.any(Array),
      senders: expect.arrayContaining([expect.objectContaining({ name: "Example" })]),
      numbers: [numberFor(second.id)],
    });
    // One account: every application sends with what is registered on it.
    const channels = [{ channel: "SMS", sender: "Example", content: { text: "Hello" } }];
    for (const application of [running, second]) {
      expect((await call(application, "POST /messages", messageRequest({ channels }))).status).toBe(200);
    }
  });

  sandbox("resources.platform.row-2", async () => {
    const running = await startSandbox();
    const users = [{ email: "dev@example.com", role: "developer" as const }];
    const shop = running.createApplication({ name: "Shop", users, settings: { codeDigits: 8 } });
    const { id: endpointId } = shop.endpoints.add({ target: "http://localhost:9/webhooks" });
    await send(shop);

    expect(await described(running, shop.id)).toMatchObject({ name: "Shop", users, settings: { codeDigits: 8 } });
    expect(await described(running, running.id)).toMatchObject({ users: [], settings: { codeDigits: 6 } });
    expect(shop.env.SERVICE_API_KEY).not.toBe(running.env.SERVICE_API_KEY);
    expect([shop.endpoints.list().map(({ id }) => id), running.endpoints.list()]).toEqual([[endpointId], []]);
    expect([shop.usage().messages.total, running.usage().messages.total]).toEqual([1, 0]);
    for (let count = 0; count < 10; count++) running.createApplication();
    expect(running.applications()).toHaveLength(12);
  });

  sandbox("resources.platform.row-3", async () => {
    const running = await startSandbox();
    const [owner, other] = [running.createApplication(), running.createApplication()];
    const number = numberFor(owner.id);
    running.account.rentNumber(number);

    expect(() => running.account.rentNumber(numberFor(other.id))).toThrow(
      expect.objectContaining({ code: "number_taken" }),
    );
    expect(running.account.get().numbers).toEqual([number]);
    const channels = [{ channel: "SMS", sender: number.phone, content: { text: "Hello" } }];
    expect((await call(owner, "POST /messages", messageRequest({ channels }))).status).toBe(200);
    expect((await call(other, "POST /messages", messageRequest({ channels }))).status).not.toBe(200);
  });

  sandbox("resources.platform.2", async () => {
    const running = await startSandbox();
    const strict = running.createApplication({ settings: { maxTextLength: 3 } });
    const answers = [
      await call(running, "POST /messages", messageRequest()),
      await call(strict, "POST /messages", messageRequest()),
    ];
    await call(strict, "POST /verifications", verificationRequest());
    expect(answers.map(({ status }) => status)).toEqual([200, 422]);
    expect([running, strict].map((application) => application.usage())).toMatchObject([
      { messages: { total: 1 }, verifications: { total: 0 } },
      { messages: { total: 0 }, verifications: { total: 1 } },
    ]);
  });

  sandbox("resources.platform.3", async () => {
    const running = await startSandbox();
    const [rotated, revoked, other] = [running, running.createApplication(), running.createApplication()];
    const keys = [rotated, revoked, other].map(({ env }) => env.SERVICE_API_KEY);
    rotated.rotateApiKey();
    revoked.revokeApiKey();
    const statuses = await Promise.all(keys.map((key) => statusWith(running, key)));
    expect(statuses).toEqual([401, 401, 200]);
    expect((await call(rotated, "GET /messages")).status).toBe(200);
  });
}

function numberFor(applicationId: string) {
  const capabilities = ["SMS"] as const;
  return { phone: "+4915112340000", applicationId, kind: "mobile" as const, capabilities, routing: "none" as const };
}

/** What the portal shows of an application. */
async function described({ url }: Sandbox, id: string): Promise<unknown> {
  return (await fetch(`${url}/_sandbox/applications/${id}/application`)).json();
}

async function statusWith(running: Sandbox, key: string): Promise<number> {
  return (await call(running, "GET /messages", undefined, { "x-api-key": key })).status;
}
