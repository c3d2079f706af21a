import type { Mutation } from "./explore-all.ts";

/** A mutation of the list. */
export interface NamedMutation extends Mutation {
  /** What it changes, in words. */
  readonly change: string;
  /** The invariant that it breaks, and the number of schedules that it took with seed 1, over all scenarios. */
  readonly invariant: string;
  readonly schedules: number;
}

/** Changes of the code, each of which breaks another invariant. `DOORCODE_EXPLORE_MUTATIONS=1 npm run explore` shows it again. */
export const mutations: readonly NamedMutation[] = [
  {
    change: "after a double click any code is right",
    file: "login/confirm.ts",
    code: "approvedMeanwhile !== undefined && isApproved(approvedMeanwhile)",
    becomes: "approvedMeanwhile !== undefined",
    invariant: "A login logs in once, and only with its right code.",
    schedules: 7546,
  },
  {
    change: "an approval is forgotten after five seconds",
    file: "login/confirm.ts",
    code: "{ ttlSeconds: outliveTransactionSeconds }",
    becomes: "{ ttlSeconds: 5 }",
    invariant: "After an approval that was written, the same code finishes the login.",
    schedules: 436,
  },
  {
    change: "a code that was not checked counts",
    file: "login/attempts.ts",
    code: "await giveBack(store, [attempt.share]);",
    becomes: "",
    invariant: "No counter says more than what has happened, and what a fault may have hidden.",
    schedules: 1074,
  },
  {
    change: "a login has attempts without an end",
    file: "login/attempts.ts",
    code: "if (!attempt?.granted)",
    becomes: "if (false)",
    invariant: "Of one login at most five codes are evaluated before the approval of one is written.",
    schedules: 782,
  },
  {
    change: "attempts at the same time pass a pause",
    file: "login/attempts.ts",
    code: "const pauses = pauseSeconds > 0 ?",
    becomes: "const pauses = false ?",
    invariant: "After the third code of a login whose answer came, the next one is evaluated after a pause.",
    schedules: 1063,
  },
  {
    change: "a write under a lease ends it",
    file: "store/lease.ts",
    code: "{ ttlSeconds, hold: true }",
    becomes: "{ ttlSeconds }",
    invariant:
      "A browser has a session if its login was answered with success, until a logout or the removal of the number.",
    schedules: 1948,
  },
  {
    change: "known and older events are handled",
    file: "webhooks/handle-once.ts",
    code: "options.replayed ? undefined : checkOrder(ordered, record)",
    becomes: "undefined",
    invariant: "Once a handler has begun for an event, no older event of its entity is handled.",
    schedules: 2303,
  },
  {
    change: "an event whose handler failed is marked as handled",
    file: "webhooks/handle-once.ts",
    code: "JSON.stringify(withSeen(begun, ordered))",
    becomes: "JSON.stringify(withHandled(begun, ordered))",
    invariant: "Every event is acknowledged in the end, and the newest one was handled.",
    schedules: 2339,
  },
  {
    change: "an event is not marked as handled",
    file: "webhooks/handle-once.ts",
    code: "options.replayed ? withReplayed : withHandled",
    becomes: "withSeen",
    invariant: "An event is handled again only after a crash or a failure.",
    schedules: 2656,
  },
];
