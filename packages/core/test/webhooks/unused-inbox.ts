import type { Inbox } from "../../src/webhooks/inbox.ts";

/** A function that a test must not call. */
export const unused = (): Promise<never> => Promise.reject(new Error("Not used in this test."));

/** An inbox for tests that use a part of it, or none. */
export const unusedInbox: Inbox = {
  add: unused,
  work: unused,
  deadLetters: unused,
  findDeadLetters: unused,
  replay: unused,
  discard: unused,
  counts: unused,
  close: async () => undefined,
};
