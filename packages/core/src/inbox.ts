export {
  type Clock,
  createDeadline,
  createWakeUp,
  type Deadline,
  orAborted,
  systemClock,
  type WakeUp,
  wait,
  waitAtMost,
} from "./util/clock.ts";
export type { ErrorSummary } from "./util/redact.ts";
export type { EventTransactions, SettleFunction } from "./webhooks/handlers.ts";
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
