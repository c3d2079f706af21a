import { createRequire } from "node:module";
import type * as bullmq from "bullmq";

/** The part of BullMQ that the inbox uses. */
export type BullEngine = Pick<typeof bullmq, "Queue" | "Worker" | "UnrecoverableError" | "ErrorCode">;

/** Loads BullMQ, an optional dependency that only an app with an inbox installs. A TypeError names what to install. */
export function loadBull(): BullEngine {
  const require = createRequire(import.meta.url);
  try {
    return require("bullmq");
  } catch (error) {
    throw new TypeError("createBullInbox needs BullMQ 6: npm install bullmq.", { cause: error });
  }
}
