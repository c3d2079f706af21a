export {
  createEventTransactions,
  type EventTransactionScope,
  type EventTransactionsOptions,
} from "./event-transactions.ts";
export type { PostgresInboxOptions } from "./inbox/inbox-options.ts";
export { createPostgresInbox, type PostgresInbox } from "./inbox/postgres-inbox.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./store/postgres-store.ts";
export type { SettleOptions } from "./store/settle.ts";
export type { CleaningOptions, RemovalOptions } from "./table/cleaning.ts";
export { migrate } from "./table/migrate.ts";
export { type MigrationOptions, migration } from "./table/migration.ts";
export type { TableOptions } from "./table/table.ts";
