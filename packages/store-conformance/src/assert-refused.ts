import assert from "node:assert/strict";

/** Asserts that a call rejects because of its arguments, and for no other reason. */
export async function assertRefused(call: () => Promise<unknown>): Promise<void> {
  // By name, because another realm has its own TypeError.
  await assert.rejects(async () => call(), { name: "TypeError" }, "A wrong argument must reject with a TypeError.");
}
