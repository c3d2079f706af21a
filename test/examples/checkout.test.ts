import { createServer } from "node:http";
import { createSandbox } from "@doorcode/sandbox";
import supertest from "supertest";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../examples/checkout/app.ts";
import { listen } from "../support/listen.ts";

async function setUp() {
  const sandbox = await createSandbox({ port: 0 });
  const { url, close } = await listen(createServer(createApp(sandbox.env, { clock: sandbox.clock })));
  onTestFinished(async () => {
    await close();
    await sandbox.close();
  });
  const open = () => {
    const agent = supertest.agent(url).set("sec-fetch-site", "same-origin").set("accept", "text/html");
    const submit = (path: string, fields: object) => agent.post(path).type("form").send(fields);
    return {
      submit,
      /** Confirms a number, and returns the proof in the form of the page. */
      async prove(phone: string) {
        await agent.get("/");
        await sandbox.clock.advance("1m");
        await submit("/verify/start", { phone });
        const { code } = await sandbox.inbox.wait({ to: phone });
        await submit("/verify/confirm", { code });
        return /name="proof" value="([^"]+)" form="order"/.exec((await agent.get("/")).text)?.[1] ?? "";
      },
    };
  };
  return { sandbox, open };
}

test("a guest orders with a confirmed number, once", async () => {
  const { open } = await setUp();
  const { prove, submit } = open();
  const proof = await prove("+4915123456131");
  const [ordered, again] = [await submit("/order", { proof }), await submit("/order", { proof })];
  expect([ordered.status, again.status]).toEqual([201, 409]);
  expect(ordered.text).toContain("+4915123456131");
});

test("L45: an order needs a proof of its own cart, in time", async () => {
  const { open, sandbox } = await setUp();
  const [guest, thief] = [open(), open()];
  const proof = await guest.prove("+4915123456132");
  await thief.prove("+4915123456133");
  const refused = [
    await guest.submit("/order", {}),
    await guest.submit("/order", { proof: `${proof}A` }),
    await thief.submit("/order", { proof }),
  ];
  await sandbox.clock.advance("10m");
  refused.push(await guest.submit("/order", { proof }));

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  expect(refused.map(({ text }) => /confirmed for something else|has expired|not confirmed/.exec(text)?.[0])).toEqual([
    "not confirmed",
    "not confirmed",
    "confirmed for something else",
    "has expired",
  ]);
});
