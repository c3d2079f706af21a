export { type Clock, createDeadline, type Deadline, orAborted, systemClock, wait, waitAtMost } from "./util/clock.ts";
export type { ErrorSummary } from "./util/error-summary.ts";
export { createWakeUp, type WakeUp } from "./util/wake-up.ts";
export type { EventTransactions, SettleFunction } from "./webhooks/event-transactions.ts";
export {
  type DeadLetterEntry,
  type Inbox,
  type InboxEntry,
  type InboxHandler,
  type InboxVerdict,
  type InboxWorker,
  type InboxWorkOptions,
  minInboxKeepSeconds,
  type TakenEntry,
} from "./webhooks/inbox.ts";
