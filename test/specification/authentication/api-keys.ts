import { inspect } from "node:util";
import { expect } from "vitest";
import { phone as loginPhone, newestCode, setUpLogin, wrongCode } from "../../support/login-setup.ts";
import type { Show } from "../describe-part.ts";
import { apiKey, message, startService } from "../support/recorded-service.ts";
import { call, messageRequest, startSandbox } from "../support/sandbox.ts";

/** "API requests". */
export function showApiKeys({ sandbox, kit, kitOnHosts }: Show): void {
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

  kitOnHosts("authentication.api.3", async (host) => {
    const { open, service } = await setUpLogin(host);
    const browser = open();
    const answers = [await browser.post("/login/start", { phone: loginPhone })];
    answers.push(await browser.post("/login/confirm", { code: wrongCode(service) }));
    service.onConfirm = () => ({ status: 401, body: { error_message: "key_of_the_tests is no key" } });
    answers.push(await browser.post("/login/confirm", { code: wrongCode(service) }));
    service.onConfirm = () => undefined;
    answers.push(await browser.get("/login/state"));
    answers.push(await browser.post("/login/confirm", { code: newestCode(service) }));
    answers.push(await browser.get("/account"));

    expect(answers.map(({ status }) => status)).toEqual([200, 400, expect.any(Number), 200, 200, 200]);
    const seen = answers.map(({ headers, text }) => `${JSON.stringify([...headers])} ${text}`).join("\n");
    expect(seen).not.toContain("key_of_the_tests");

    // Nor is it in what a program may log.
    const { client } = await startService({ status: 401, body: { error_message: `${apiKey} is no key` } });
    const error = await client.messages.send(message).catch((caught: unknown) => caught);
    expect(inspect([client, error], { depth: 10, showHidden: true })).not.toContain(apiKey);
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
