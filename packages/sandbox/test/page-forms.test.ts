import { expect, test } from "vitest";
import { sendForm, view } from "./support/page.ts";
import { inOrder, phone, post, start } from "./support/start.ts";

const base = "/applications/default";

test("never redirects to the site of a foreign Referer", async () => {
  const { sandbox } = await start();
  const answer = await fetch(`${sandbox.url}${base}/clock`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: sandbox.url, Referer: "https://evil.example/" },
    body: new URLSearchParams({ mode: "frozen" }),
  });
  expect(answer.headers.get("location")).toBe("/");
});

test("shows the secret of a new application once", async () => {
  const { sandbox } = await start();
  const { html, path } = await sendForm(sandbox, "/applications", { name: "Shop" });
  const created = sandbox.applications().find(({ id }) => path === `/applications/${id}/portal`);
  expect(html).toContain(`WEBHOOK_SECRET=${created?.env.WEBHOOK_SECRET}`);
  expect((await view(`${sandbox.url}${path}`)).html).not.toContain(created?.env.WEBHOOK_SECRET);
});

test("switches faults on and off, and shows them on every view", async () => {
  const { sandbox } = await start();
  await sendForm(sandbox, `${base}/faults`, { common: "3 × 503 on verifications" });
  await sendForm(sandbox, `${base}/faults`, {
    appliesTo: "webhook",
    on: "webhook",
    effect: "delay",
    seconds: "5",
    status: "SENT",
    to: phone,
    times: "2",
    percent: "50",
    seed: "7",
  });
  expect(sandbox.faults.list()).toMatchObject([
    { on: "POST /verifications", action: { type: "answer", status: 503, retryAfterSeconds: 2 }, times: 3 },
    {
      on: "webhook",
      to: phone,
      status: "SENT",
      action: { type: "delay", seconds: 5 },
      times: 2,
      probability: 0.5,
      seed: 7,
    },
  ]);
  const { html } = await view(`${sandbox.url}${base}`);
  expect(html).toContain("2 faults are on");
  const [first] = sandbox.faults.list();
  await sendForm(sandbox, `${base}/faults/${first?.id}/remove`);
  expect(sandbox.faults.list()).toHaveLength(1);
  await sendForm(sandbox, `${base}/faults/remove`);
  expect(sandbox.faults.list()).toEqual([]);
});

test("configures endpoints", async () => {
  const { sandbox } = await start();
  const url = "http://localhost:3000/webhooks";
  await sendForm(sandbox, `${base}/endpoints`, [
    ["url", url],
    ["events", "verification.update"],
  ]);
  expect(sandbox.endpoints.list()).toMatchObject([{ url, events: ["verification.update"] }]);
  const [endpoint] = sandbox.endpoints.list();
  await sendForm(sandbox, `${base}/endpoints/${endpoint?.id}/events`, { events: "message.status.update" });
  expect(sandbox.endpoints.list()).toMatchObject([{ url, events: ["message.status.update"] }]);
  await sendForm(sandbox, `${base}/endpoints/${endpoint?.id}/remove`);
  expect(sandbox.endpoints.list()).toEqual([]);
});

test("configures users, templates, senders, numbers, codes and behaviours", async () => {
  const { sandbox } = await start();
  const added = [
    ["users", { email: "ada@example.com", role: "admin" }],
    ["templates", { name: "short", text: "{{code}}" }],
    ["senders", { name: "Bakery" }],
    ["numbers", { phone: "+4915735980000", kind: "mobile", capabilities: "SMS", routing: "none" }],
    ["codes", { phone, code: "123456" }],
    ["behaviours", { who: "DE", behaviour: "slow" }],
  ] as const;
  for (const [path, fields] of added) await sendForm(sandbox, `${base}/${path}`, fields);
  const messaging = await view(`${sandbox.url}${base}/portal/messaging`);
  for (const text of ["short", "Bakery", "+4915735980000"]) expect(messaging.html).toContain(text);
  const numbers = await view(`${sandbox.url}${base}/portal/numbers`);
  for (const text of ["123456", "slow"]) expect(numbers.html).toContain(text);
  expect((await view(`${sandbox.url}${base}/portal`)).html).toContain("ada@example.com");
  expect(sandbox.account.get()).toMatchObject({
    senders: [{}, { name: "Bakery" }],
    numbers: [{ phone: "+4915735980000" }],
  });
  for (const [path, fields] of added) await sendForm(sandbox, `${base}/${path}/remove`, fields);
  expect((await view(`${sandbox.url}${base}/portal/numbers`)).html).not.toContain(phone.concat("</strong>"));
  expect(sandbox.account.get()).toMatchObject({ senders: [{ name: "Doorcode" }], numbers: [] });
});

test("configures dialect and settings", async () => {
  const { sandbox } = await start();
  await sendForm(sandbox, `${base}/dialect`, { acceptedStatus: "201", verificationId: "id" });
  await sendForm(sandbox, `${base}/settings`, {
    codeDigits: "8",
    webhookRetryDelaysSeconds: "1, 2",
    countriesWithoutSenderIds: "US, CA",
  });
  const { status, body } = await post(sandbox, "/verifications", {
    recipient: phone,
    template: { name: "login", variables: {} },
    channels: inOrder("SMS"),
  });
  expect([status, typeof body.id]).toEqual([201, "string"]);
  expect((await sandbox.inbox.wait({ to: phone })).code).toHaveLength(8);
  const { html } = await view(`${sandbox.url}${base}/portal/dialect`);
  expect(html).toContain('value="1, 2"');
  expect(html).toContain('value="US, CA"');
});

test.each([
  ["senders", { name: "123" }, "at least one letter"],
  ["settings", { codeDigits: "many" }, "settings.codeDigits"],
  ["endpoints", { url: "http://localhost:3000" }, "message.status.update or verification.update"],
  ["clock/advance", { by: "soon" }, "1h12m30s"],
  ["faults", { appliesTo: "request", on: "request", effect: "answer", answerStatus: "99" }, "action.status"],
  ["messages/none/delete", {}, "There is no such message."],
])("shows the mistake on the page, and changes nothing: %s %j", async (path, fields, words) => {
  const { sandbox } = await start();
  const { html, redirect } = await sendForm(sandbox, `${base}/${path}`, fields, `${base}/portal`);
  expect(redirect).toBe(303);
  expect(html).toMatch(/class="notice problem"/);
  expect(html).toContain(words);
});

test("accepts only forms, and none that is too large", async () => {
  const { sandbox } = await start();
  const send = (body: string, type: string) => {
    const headers = { "content-type": type, "content-length": String(body.length) };
    return sandbox.fetch(new Request(`${sandbox.url}${base}/name`, { method: "POST", body, headers }));
  };
  const large = await send(`name=${"a".repeat(1_048_577)}`, "application/x-www-form-urlencoded");
  expect(large.status).toBe(413);
  expect((await send('{"name":"Other"}', "application/json")).status).toBe(415);
  expect((await view(sandbox.url)).html).toContain("Default application");
});
