import { createRequire } from "node:module";
import type * as bullmq from "bullmq";

/** The part of BullMQ that the inbox uses. */
export type BullEngine = Pick<typeof bullmq, "Queue" | "Worker" | "DelayedError" | "UnrecoverableError">;

/**
 * Loads BullMQ, which only those install who have an inbox.
 *
 * @throws TypeError that says what to install.
 */
export function loadBull(): BullEngine {
  const require = createRequire(import.meta.url);
  try {
    return require("bullmq");
  } catch (error) {
    throw new TypeError("createBullInbox needs BullMQ 6: npm install bullmq.", { cause: error });
  }
}
