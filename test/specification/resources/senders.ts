import { expect } from "vitest";
import type { Show } from "../describe-part.ts";
import { call, messageRequest, phone, startSandbox } from "../support/sandbox.ts";

/** "Sender rules": who may stand as the sender of a message. */
export function showSenders({ sandbox }: Show): void {
  sandbox("resources.sender-rules.1", async () => {
    const running = await startSandbox();
    const before = await call(running, "POST /messages", from("Example"));
    running.account.registerSender("Example");
    const after = await call(running, "POST /messages", from("Example"));
    running.account.removeSender("Example");
    const removed = await call(running, "POST /messages", from("Example"));
    expect([before.status === 200, after.status === 200, removed.status === 200]).toEqual([false, true, false]);
  });

  sandbox("resources.sender-rules.1-countries", async () => {
    const running = await startSandbox({ settings: { countriesWithoutSenderIds: ["US"] } });
    const recipients = [phone, "+13075550199"];
    expect((await call(running, "POST /messages", { ...from("Doorcode"), recipients })).status).toBe(200);
    await running.clock.advance("1m");
    expect(running.inbox.list().map(({ to, status }) => [to, status])).toEqual([
      [phone, "DELIVERED"],
      ["+13075550199", "FAILED"],
    ]);
  });

  sandbox("resources.sender-rules.2", async () => {
    const running = await startSandbox({ settings: { countriesWithoutSenderIds: ["US"] } });
    const rented = "+4915112340000";
    const before = await call(running, "POST /messages", from(rented));
    running.account.rentNumber({ phone: rented, applicationId: running.id });
    // A number is no alphanumeric sender ID, so it may send where those are prohibited.
    const after = await call(running, "POST /messages", { ...from(rented), recipients: ["+13075550199"] });
    await running.clock.advance("1m");
    expect([before.status === 200, after.status === 200]).toEqual([false, true]);
    expect(running.inbox.list().map(({ sender, status }) => [sender, status])).toEqual([[rented, "DELIVERED"]]);
  });

  sandbox("resources.sender-rules.3", async () => {
    const running = await startSandbox();
    const refused = await call(running, "POST /messages", from("Stranger"));
    expect([refused.status, refused.json.field]).toEqual([422, "channels[0].sender"]);
    expect(running.inbox.list()).toEqual([]);

    const lenient = running.createApplication({ dialect: { unregisteredSender: "fails" } });
    expect((await call(lenient, "POST /messages", from("Stranger"))).status).toBe(200);
    await lenient.clock.advance("1m");
    expect(lenient.inbox.list().map(({ status }) => status)).toEqual(["FAILED"]);
  });
}

function from(sender: string): object {
  return messageRequest({ channels: [{ channel: "SMS", sender, content: { text: "Hello" } }] });
}
