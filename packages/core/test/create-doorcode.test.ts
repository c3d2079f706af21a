import { describe, expect, test } from "vitest";
import { createDoorcode } from "../src/create-doorcode.ts";
import { createMemoryStore } from "../src/store/memory.ts";
import type { Inbox } from "../src/webhooks/inbox.ts";
import { unusedInbox } from "./webhooks/unused-inbox.ts";

const secret = "whsec_of_the_tests";

describe("the kit", () => {
  test("closes the store also when the inbox cannot be closed, and rejects with that error", async () => {
    const closed: string[] = [];
    const inbox: Inbox = { ...unusedInbox, close: () => Promise.reject(new Error("The inbox does not answer.")) };
    const store = { ...createMemoryStore(), close: async () => void closed.push("store") };
    const doorcode = createDoorcode({ store, webhooks: { secret, on: {}, inbox } });
    await expect(doorcode.close()).rejects.toThrow("The inbox does not answer.");
    expect(closed).toEqual(["store"]);
  });

  test.each(Object.keys(unusedInbox))("L27: refuses an inbox without %s at start", (member) => {
    const inbox = { ...unusedInbox, [member]: undefined } as Inbox;
    expect(() => createDoorcode({ webhooks: { secret, on: {}, inbox } })).toThrow(`webhooks.inbox: expected`);
  });
});
