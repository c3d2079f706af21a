export type { ErrorSummary } from "./util/redact.ts";
export type { EventTransactions, SettleFunction } from "./webhooks/handlers.ts";
export {
  type DeadLetterEntry,
  type Inbox,
  type InboxCounts,
  type InboxEntry,
  type InboxHandler,
  type InboxVerdict,
  type InboxWorker,
  type InboxWorkOptions,
  minInboxKeepSeconds,
  type TakenEntry,
} from "./webhooks/inbox.ts";
export {
  createPollingInbox,
  type InboxEntries,
  type PollingInboxDeps,
  type PollingInboxOptions,
  pollingInboxOptions,
} from "./webhooks/polling-inbox.ts";
export {
  type EntryOutcome,
  type HeldEntries,
  type HeldEntry,
  maxSharedDeaths,
  openEntrySeconds,
  type WorkerRoom,
} from "./webhooks/polling-worker.ts";
