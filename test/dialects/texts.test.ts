import { appCodes } from "@doorcode/core";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hosts } from "../support/hosts.ts";
import { phone, setUpDialect } from "./dialect-setup.ts";
import { defaults, dialectCases } from "./dialects.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

test.each(dialectCases)(
  "a text of the app with $name, on $on, logs in, and the state shows its delivery",
  async (given) => {
    const codes = appCodes({ sender: "Doorcode" });
    const setup = await setUpDialect(sandbox, given.host, given.dialect, "app", codes);
    const { browser, code } = await setup.started();
    const [message] = setup.application.inbox.list();
    await setup.advance();
    const { delivery } = (await browser.get("/login/state")).json;
    const confirmed = await browser.post("/login/confirm", { code });

    expect(message).toMatchObject({ to: phone, sender: "Doorcode", channel: "SMS", code });
    expect(message?.text).toBe(`Your login code is ${code}. Do not share it.\n\n@localhost #${code}`);
    const failed = { status: "failed", channel: "SMS", attempts: [{ channel: "SMS", status: "failed" }] };
    expect(delivery).toEqual(failed);
    expect([confirmed.json.status, setup.logins]).toEqual(["logged_in", [phone]]);
    expect(new Set(setup.handled.map(({ kind }) => kind))).toEqual(new Set(["message.status.update"]));
  },
);

test.each(hosts)("a text from a sender that is not registered was surely not sent, on $name", async (host) => {
  const setup = await setUpDialect(sandbox, host, defaults, "app", appCodes({ sender: "Stranger" }));
  await expect(setup.started()).rejects.toThrow(/502 .*send_failed/);
  expect(setup.application.inbox.list()).toEqual([]);
});
