import type { Mutation } from "./explore-all.ts";

/** A mutation of the list, and what it changes in words. */
export interface NamedMutation extends Mutation {
  readonly change: string;
}

/** Changes of the code. Each breaks an invariant, and `npm run explore -- --mutations` shows which and after how many schedules. */
export const mutations: readonly NamedMutation[] = [
  {
    change: "after a double click any code is right",
    file: "login/confirm.ts",
    code: "approvedMeanwhile !== undefined && keys.matches(parts, approvedMeanwhile)",
    becomes: "approvedMeanwhile !== undefined",
  },
  {
    change: "an approval is forgotten after five seconds",
    file: "login/confirm.ts",
    code: "{ ttlSeconds: outliveTransactionSeconds }",
    becomes: "{ ttlSeconds: 5 }",
  },
  {
    change: "a completed login is not marked as done",
    file: "login/finish-login.ts",
    code: "{ ...transaction, done: true }",
    becomes: "transaction",
  },
  {
    change: "a login whose lease was lost is completed",
    file: "login/finish-login.ts",
    code: "if (!isDone) {",
    becomes: "if (false) {",
  },
  {
    change: "a login that could not be finished is marked as done",
    file: "login/finish-login.ts",
    code: "withTimeToFinish(leased.transaction, deps.clock.now())",
    becomes: "{ ...leased.transaction, done: true }",
  },
  {
    change: "a resend that came too late keeps its budget",
    file: "login/resend.ts",
    code: "await permitted.giveBack();",
    becomes: "",
  },
  {
    change: "a code that was not checked counts",
    file: "login/count-attempt.ts",
    code: "await giveBack(store, [...open.attempt.granted, ...reserved]);",
    becomes: "",
  },
  {
    change: "a login has six attempts",
    file: "login/attempt-budgets.ts",
    code: "limit: limits.attemptsPerTransaction,",
    becomes: "limit: limits.attemptsPerTransaction + 1,",
  },
  {
    change: "attempts at the same time pass a pause",
    file: "login/attempt-budgets.ts",
    code: "return ttlSeconds > 0 ?",
    becomes: "return false ?",
  },
  {
    change: "a late renewal takes the lease whatever was written meanwhile",
    file: "store/held-lease.ts",
    code: "found.held && found.value === this.#written",
    becomes: "found.held",
  },
  {
    change: "a write under a lease ends it",
    file: "store/held-lease.ts",
    code: "this.#settle(next, { hold: true })",
    becomes: "this.#settle(next, {})",
  },
  {
    change: "known and older events are handled",
    file: "webhook/process-event.ts",
    code: "options.replayed ? undefined : checkOrder(event, record)",
    becomes: "undefined",
  },
  {
    change: "an event that is not handled deletes what is known of its entity",
    file: "webhook/process-event.ts",
    code: "await lease.settle(lease.value)",
    becomes: "await lease.settle(undefined)",
  },
  {
    change: "an event whose handler failed is marked as handled",
    file: "webhook/handler-run.ts",
    code: "entityText(withSeen(record, event))",
    becomes: "entityText(withHandled(record, event))",
  },
  {
    change: "an event is not marked as handled",
    file: "webhook/handler-run.ts",
    code: "options.replayed ? withReplayed : withHandled",
    becomes: "withSeen",
  },
];
