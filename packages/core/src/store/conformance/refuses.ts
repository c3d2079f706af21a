import assert from "node:assert/strict";

/** Asserts that a verb refuses its arguments as such, and not for another reason. */
export async function refuses(act: () => Promise<unknown>): Promise<void> {
  // By name: another realm has a TypeError of its own.
  await assert.rejects(async () => act(), { name: "TypeError" }, "A wrong argument must reject with a TypeError.");
}
