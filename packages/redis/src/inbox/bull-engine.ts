import { createRequire } from "node:module";
import type * as bullmq from "bullmq";

/** The part of BullMQ that the inbox uses. */
export type BullEngine = Pick<typeof bullmq, "Queue" | "Worker" | "UnrecoverableError" | "ErrorCode">;

/** Loads BullMQ, an optional dependency that only an app with an inbox installs. A TypeError names what to install. */
export function loadBull(): BullEngine {
  try {
    return createRequire(import.meta.url)("bullmq");
  } catch (error) {
    const fix = "npm install bullmq. If your app is bundled, leave @doorcode/redis and bullmq out of the bundle.";
    throw new TypeError(`createBullInbox needs BullMQ 6: ${fix}`, { cause: error });
  }
}
