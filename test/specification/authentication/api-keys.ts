import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { apiKey, message, startService } from "../support/recorded-service.ts";
import { call, messageRequest, startSandbox } from "../support/sandbox.ts";

/** "API requests". */
export function showApiKeys({ sandbox, kit }: Show): void {
  sandbox("authentication.api.1", async () => {
    const running = await startSandbox();
    const shop = running.createApplication();
    const headers = { "X-Api-Key": shop.env.SERVICE_API_KEY, "content-type": "application/json" };
    expect((await call(running, "POST /messages", messageRequest(), headers)).status).toBe(200);
    expect([running.inbox.list().length, shop.inbox.list().length]).toEqual([0, 1]);
  });

  kit("authentication.api.1", async () => {
    const { client, requests } = await startService({ body: [] });
    await client.messages.list();
    expect(requests.map(({ headers }) => headers["x-api-key"])).toEqual([apiKey]);
  });

  sandbox("authentication.api.2", async () => {
    const running = await startSandbox();
    const [shop, bank] = [running.createApplication(), running.createApplication()];
    const keys = [shop.env.SERVICE_API_KEY, bank.env.SERVICE_API_KEY, shop.rotateApiKey()];
    expect(new Set(keys).size).toBe(3);
    expect(shop.env.SERVICE_API_KEY).toBe(keys[2]);
    expect(await Promise.all(keys.map((key) => statusWith(key)))).toEqual([401, 200, 200]);

    async function statusWith(key: string): Promise<number> {
      return (await call(running, "GET /messages", undefined, { "x-api-key": key })).status;
    }
  });

  sandbox("authentication.api.4", async () => {
    const running = await startSandbox();
    for (const headers of [{}, { "x-api-key": "" }, { "x-api-key": "wrong" }, { authorization: "Bearer sandbox" }]) {
      expect((await call(running, "GET /messages", undefined, { ...headers })).status).toBe(401);
    }
    running.createApplication().revokeApiKey();
    expect((await call(running, "GET /messages", undefined, { "x-api-key": "undefined" })).status).toBe(401);
    const forbidding = await startSandbox({ dialect: { refusalStatus: "403_400" } });
    expect((await call(forbidding, "GET /messages", undefined, { "x-api-key": "wrong" })).status).toBe(403);
  });

  kit("authentication.api.4", async () => {
    for (const status of [401, 403]) {
      for (const body of ["", "<h1>No</h1>", { error_code: "auth.invalid" }, []]) {
        const { client } = await startService({ status, body });
        const refusal = { code: "service_unauthorized", outcome: "refused" };
        await expect(client.messages.send(message)).rejects.toMatchObject(refusal);
      }
    }
  });
}
