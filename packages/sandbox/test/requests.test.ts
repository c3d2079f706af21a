import { expect, test } from "vitest";
import { control } from "./support/control.ts";
import { headersOf, messageRequest, post, start, startVerification } from "./support/start.ts";

const key = "sandbox-api-key";

test("an accepted request has an answer and no cause", async () => {
  const { sandbox } = await start();
  const { body } = await post(sandbox, "/messages", messageRequest());
  const [request] = sandbox.requests.list();
  expect(request).toMatchObject({ status: 200, cause: undefined, maskedKey: "••••-key" });
  expect(JSON.parse(request?.answer ?? "")).toEqual(body);
});

test("a request is listed that is refused before its application is known", async () => {
  const { sandbox } = await start();
  await fetch(`${sandbox.url}/v1/nowhere`, { headers: { "X-API-KEY": key } });
  await fetch(`${sandbox.url}/v1/messages`, { method: "DELETE", headers: { "X-API-KEY": key } });
  await fetch(`${sandbox.url}/v1/messages`, { headers: { "X-API-KEY": "the-key-of-production" } });
  await fetch(`${sandbox.url}/v1/messages`);
  await fetch(`${sandbox.url}/v1/messages`, { headers: { Origin: "http://evil.example" } });
  const seen = sandbox.requests
    .list()
    .map(({ status, cause, maskedKey, isKeyValid }) => [status, cause, maskedKey, isKeyValid]);
  expect(seen).toEqual([
    [404, expect.stringContaining("There is nothing here"), "••••-key", true],
    [405, "This method is not allowed here.", "••••-key", true],
    [401, "Send the application's API key as X-API-KEY.", "••••tion", false],
    [401, "Send the application's API key as X-API-KEY.", undefined, false],
    [403, "Pages of other sites may not use the sandbox.", undefined, false],
  ]);
});

test("a request keeps neither its API key nor its Authorization header, wherever they stand", async () => {
  const { sandbox } = await start();
  const secrets = ["a-production-key-1", "a-bearer-token-1"];
  const body = JSON.stringify({ recipients: secrets });
  const authorization = `Bearer ${secrets[1]}`;
  await fetch(`${sandbox.url}/v1/${secrets.join("/")}?key=${secrets[0]}`, {
    method: "POST",
    headers: { "X-API-KEY": secrets[0] ?? "", authorization },
    body,
  });
  const headers = { ...headersOf(sandbox), authorization };
  await fetch(`${sandbox.url}/v1/messages`, { method: "POST", headers, body: `"${key} ${secrets[1]}"` });
  const { body: kept } = await control(sandbox, "GET", "/requests");
  const text = JSON.stringify(kept);
  for (const secret of [...secrets, key]) expect(text).not.toContain(secret);
  expect(sandbox.requests.list().map(({ body }) => body)).toEqual(["", '"••••-key ••••en-1"']);
});

test("names the fault and the refused code as the cause, in every dialect", async () => {
  const { sandbox } = await start({ dialect: { confirmationRefusal: "empty", refusalBody: "empty" } });
  const { id, wrongCode } = await startVerification(sandbox);
  const headers = headersOf(sandbox);
  const confirmation = `${sandbox.env.SERVICE_URL}/verifications/confirmation/${id}`;
  await fetch(confirmation, { method: "POST", headers, body: JSON.stringify({ otp_code: wrongCode }) });
  sandbox.faults.add({ on: "GET /messages", action: { type: "answer", status: 503 }, times: 1 });
  await fetch(`${sandbox.env.SERVICE_URL}/messages`, { headers });
  sandbox.faults.add({ on: "GET /messages", action: { type: "cut", when: "before" }, times: 1 });
  await expect(fetch(`${sandbox.env.SERVICE_URL}/messages`, { headers })).rejects.toThrow();
  const refused = sandbox.requests.list().filter(({ cause }) => cause !== undefined);
  expect(refused.map(({ status, cause }) => [status, cause])).toEqual([
    [200, "The code is incorrect."],
    [503, "A fault answered 503."],
    [undefined, "A fault cut the connection before anything was done."],
  ]);
});

test("an application lists its own requests, the newest 500, until it is reset", async () => {
  const { sandbox } = await start({ port: "none" });
  const second = sandbox.createApplication();
  const send = (application: typeof second) =>
    sandbox.fetch(new Request(`${sandbox.url}/v1/messages`, { headers: headersOf(application) }));
  await send(second);
  for (let count = 0; count < 501; count++) await send(sandbox);
  expect([sandbox, second].map(({ requests }) => requests.list().length)).toEqual([500, 1]);
  sandbox.reset();
  expect([sandbox, second].map(({ requests }) => requests.list().length)).toEqual([0, 1]);
});
