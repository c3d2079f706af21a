import fc from "fast-check";
import { expect, test } from "vitest";
import { createCollection } from "../src/state/collection.ts";
import { createState } from "../src/state/state.ts";
import { createReceiver } from "./support/receiver.ts";
import { account, delivery, message } from "./support/records.ts";
import { confirm, messageRequest, post, start, startVerification } from "./support/start.ts";

interface Item {
  readonly id: string;
  readonly owner: string;
  readonly number: number;
}

const ownerOf = ({ owner }: Item) => owner;
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

test("a collection holds the same records in the same order as a plain list, after any puts, removals and forgets", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ put: id }) },
    { weight: 3, arbitrary: fc.record({ remove: id }) },
    { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom("one", "other") }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const items = createCollection<Item>({ ownerOf });
      let model: Item[] = [];
      for (const [number, each] of steps.entries()) {
        if ("put" in each) {
          const item = { id: each.put, owner: each.put < "d" ? "one" : "other", number };
          const index = model.findIndex(({ id }) => id === item.id);
          model = index === -1 ? [...model, item] : model.with(index, item);
          items.put(item);
        } else if ("remove" in each) {
          model = model.filter(({ id }) => id !== each.remove);
          items.remove(each.remove);
        } else {
          model = model.filter(({ owner }) => owner !== each.forget);
          items.forget(each.forget);
        }
        for (const owner of ["one", "other"]) {
          const expected = model.filter((item) => item.owner === owner);
          expect(items.list(owner)).toEqual(expected);
          expect(expected.map(({ id }) => items.get(id))).toEqual(expected);
          expect(items.count(owner)).toBe(expected.length);
        }
        expect(new Set(items.all())).toEqual(new Set(model));
      }
    }),
    { seed: 3 },
  );
});

test("a watcher of the state learns of a change of the account, and of records that are forgotten", () => {
  const state = createState();
  let changes = 0;
  state.watch(() => {
    changes++;
  });
  state.accounts.put(account);
  expect(changes).toBe(1);
  state.messages.put(message("msg_1"));
  state.messages.forget("app_1");
  expect(changes).toBe(3);
});

test("a sandbox lists the newest maxMessages messages, after all have had their webhooks", async () => {
  const receiver = createReceiver();
  const { sandbox, clock } = await start({ maxMessages: 3 });
  sandbox.deliverTo(receiver.handler);
  for (let round = 0; round < 5; round++) {
    await post(sandbox, "/messages", messageRequest());
    await clock.advance(1_000);
    await sandbox.deliveries.settled();
  }
  expect(sandbox.inbox.list()).toHaveLength(3);
  expect(receiver.statuses()).toEqual(Array.from({ length: 5 }, () => ["SENT", "DELIVERED"]).flat());
  const recipients = Array.from({ length: 10 }, (_, index) => `+49151123456${10 + index}`);
  await post(sandbox, "/messages", messageRequest({ recipients }));
  expect(sandbox.inbox.list()).toHaveLength(10);
  await clock.advance(1_000);
  await sandbox.deliveries.settled();
  expect(receiver.arrivals).toHaveLength(30);
});

test("a pending verification outlives maxMessages, and its code is still right", async () => {
  const { sandbox } = await start({ maxMessages: 1 });
  const { id, code } = await startVerification(sandbox);
  for (let round = 0; round < 3; round++) await startVerification(sandbox, { recipient: `+4915112345${670 + round}` });
  expect((await confirm(sandbox, id, code)).status).toBe(200);
  await startVerification(sandbox, { recipient: "+4915112345699" });
  expect(sandbox.verifications.list().map((each) => each.id)).not.toContain(id);
});

test("the retention drops no message, verification or delivery for which work is scheduled", () => {
  const state = createState({ maxMessages: 1 });
  const task = { applicationId: "app_1", dueMilliseconds: 1, task: { kind: "message.sent", messageId: "" } } as const;
  state.scheduledTasks.put({ ...task, id: "outcome:msg_1" });
  for (const id of ["msg_1", "msg_2", "msg_3"]) state.messages.put(message(id));
  expect(ids(state.messages.list("app_1"))).toEqual(["msg_1", "msg_2", "msg_3"]);
  state.scheduledTasks.remove("outcome:msg_1");
  state.messages.put(message("msg_4"));
  expect(ids(state.messages.list("app_1"))).toEqual(["msg_4"]);

  for (let number = 1; number <= 6; number++) state.deliveries.put(delivery(`dlv_${number}`));
  expect(state.deliveries.count("app_1")).toBe(6);
  for (const each of state.deliveries.all()) state.deliveries.put({ ...each, status: "failed" });
  state.deliveries.put(delivery("dlv_7"));
  expect(ids(state.deliveries.list("app_1"))).toEqual(["dlv_4", "dlv_5", "dlv_6", "dlv_7"]);
});
