export type { ErrorSummary } from "./primitives/error-summary.ts";
export type { EventTransactions, SettleFunction } from "./webhook/event-transactions.ts";
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
} from "./webhook/inbox.ts";
