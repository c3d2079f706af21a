export type { ErrorSummary } from "./util/error-summary.ts";
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
