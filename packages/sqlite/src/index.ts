export {
  createEventTransactions,
  type EventTransactionScope,
  type EventTransactionsOptions,
} from "./event-transactions.ts";
export type { SqliteFileOptions, Synchronous } from "./options.ts";
export { createSqliteInbox, type SqliteInboxOptions } from "./sqlite-inbox.ts";
export { createSqliteStore, type SettleOptions, type SqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";
