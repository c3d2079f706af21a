export {
  createEventTransactions,
  type EventTransactionScope,
  type EventTransactionsOptions,
} from "./event-transactions.ts";
export { createPostgresInbox, type PostgresInbox, type PostgresInboxOptions } from "./inbox/postgres-inbox.ts";
export type { SettleOptions } from "./store/entries.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./store/postgres-store.ts";
export type { CleaningOptions, RemovalOptions } from "./table/cleaning.ts";
export { migrate } from "./table/migrate.ts";
export { type MigrationOptions, migration, type TableOptions } from "./table/migration.ts";
