import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpDialect } from "./dialect-setup.ts";
import { dialectCases } from "./dialects.ts";
import { expectedAnswers } from "./expected-answers.ts";
import { messageEvents, statusesOf } from "./expected-events.ts";
import { duplicatingPhone, messageTo, plainPhone, reorderingPhone } from "./requests.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, clock: "frozen" });
});
afterAll(() => sandbox.close());

describe.each(dialectCases)("messages with $name, on $on", ({ dialect, host }) => {
  test("are sent, reported once and in order until DELIVERED, and listed", async () => {
    const { doorcode, advance, handled, outcomes } = await setUpDialect(sandbox, host, dialect);
    const recipients = [plainPhone, duplicatingPhone, reorderingPhone];
    const sent = await doorcode.messages.send(messageTo(recipients));
    await advance();

    expect(sent).toMatchObject({ status: "SUCCESS", request_id: expect.any(String) });
    expect(sent.messages).toMatchObject(recipients.map((recipient) => ({ recipient, status: "QUEUED" })));
    const [plain, duplicating, reordering] = sent.messages.map(({ message_id }) => statusesOf(handled, message_id));
    const statuses = [...messageEvents(dialect), "DELIVERED"];
    expect([plain, duplicating]).toEqual([statuses, statuses]);
    // SENT arrives after DELIVERED and is older by its own instant; also, a message never leaves a terminal status.
    expect(reordering).toEqual(statuses.filter((status) => status !== "SENT"));
    expect(new Set(outcomes)).toEqual(new Set(["webhook.handled", "webhook.duplicate", "webhook.stale"]));

    const listed = await doorcode.messages.list();
    const ids = sent.messages.map(({ message_id }) => message_id).toReversed();
    expect(listed.map(({ message_id, status }) => [message_id, status])).toEqual(ids.map((id) => [id, "DELIVERED"]));
    expect(listed.map(({ recipient }) => recipient)).toEqual(recipients.toReversed());
    expect(await doorcode.messages.list()).toHaveLength(3);
  });

  test("from an unregistered sender fail", async () => {
    const { doorcode, advance, handled, application } = await setUpDialect(sandbox, host, dialect);
    const sending = doorcode.messages.send(messageTo([plainPhone], { sender: "Nobody" }));
    if (dialect.unregisteredSender === "refused") {
      const { unregisteredSender: code } = expectedAnswers(dialect, "service");
      await expect(sending).rejects.toMatchObject({ code, outcome: "refused" });
      expect(application.inbox.list()).toEqual([]);
      return;
    }
    const { messages } = await sending;
    await advance();
    const steps = messages.map(({ message_id }) => statusesOf(handled, message_id));
    expect(steps).toEqual([[...messageEvents(dialect), "FAILED"]]);
  });

  test("can have a callback_url on this machine, unless http is refused", async () => {
    const { doorcode, advance, handled, url, application } = await setUpDialect(sandbox, host, dialect);
    const callback_url = `${url}/webhooks?of=this-request`;
    const sending = doorcode.messages.send({ ...messageTo([plainPhone]), callback_url });
    if (dialect.httpTargets === "refused") {
      await expect(sending).rejects.toMatchObject({ code: "service_invalid_request", outcome: "refused" });
      return;
    }
    await sending;
    await advance();
    const statuses = [...messageEvents(dialect), "DELIVERED"];
    expect(application.deliveries.list().map((delivery) => delivery.url)).toEqual(statuses.map(() => callback_url));
    expect(handled.map(({ data }) => data.status)).toEqual(statuses);
  });
});
