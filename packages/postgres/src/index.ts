export { createBossInbox } from "./boss-inbox.ts";
export type { BossInboxOptions } from "./boss-options.ts";
export type { CleaningOptions } from "./cleaning.ts";
export { createEventTransactions, type EventTransactionsOptions, type TransactionScope } from "./event-transactions.ts";
export { migrate } from "./migrate.ts";
export { migration } from "./migration.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
export type { SettleOptions } from "./settle.ts";
export type { TableOptions } from "./table.ts";
